-- a row: one trace to derive: a dirty one, or one with spans on two hosts whose line changed
CREATE OR REPLACE TEMP TABLE stale AS
SELECT trace_id FROM touched WHERE dirty
UNION
SELECT one.trace_id
FROM changed_lines AS line
    JOIN records AS one ON one.start_ns // 900_000_000_000 = line.quarter
        AND one.host IN (line.above, line.below)
    JOIN records AS other ON other.trace_id = one.trace_id
        AND other.host IN (line.above, line.below) AND other.host <> one.host
