-- a row: one quarter of an hour since the epoch in which a dirty trace calls another host
CREATE OR REPLACE TEMP TABLE quarters AS
SELECT DISTINCT start_ns // 900_000_000_000 AS quarter
FROM records
WHERE kind = 'client' AND host IS NOT NULL AND start_ns IS NOT NULL
    AND trace_id IN (SELECT trace_id FROM touched WHERE dirty)
