-- a row: one call of a server on another host, and the shifts of its clock (ns) under which it fits
WITH known AS (
    SELECT * FROM records
    WHERE import_id IN (SELECT import_id FROM imports WHERE state = 'done')
        AND host IS NOT NULL AND end_ns >= start_ns AND start_ns > 0
), callers AS (
    SELECT * FROM known
    WHERE kind = 'client' AND start_ns // 900_000_000_000 IN (SELECT quarter FROM quarters)
)
SELECT DISTINCT
    c.host AS above, s.host AS below, c.start_ns AS at_ns,
    c.start_ns - s.start_ns AS low, c.end_ns - s.end_ns AS high, c.trace_id, c.span_id, s.span_id
FROM callers AS c JOIN known AS s
    ON s.trace_id = c.trace_id AND s.parent_id = c.span_id AND s.host <> c.host
WHERE s.kind = 'server' AND s.end_ns - s.start_ns <= c.end_ns - c.start_ns
