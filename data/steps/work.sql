-- a row: one stale trace, its batch of about $size records, where its records lie, and whether
-- several imports brought them, so that some may be there twice
CREATE OR REPLACE TEMP TABLE work AS
SELECT *, (sum(records) OVER (ORDER BY low, trace_id) - records) // $size AS batch
FROM (
    SELECT
        trace_id, count(*) AS records, min(records.rowid) AS low, max(records.rowid) AS high,
        min(import_id) <> max(import_id) AS mixed
    FROM records JOIN imports USING (import_id)
    WHERE state = 'done' AND trace_id IN (SELECT trace_id FROM stale)
    GROUP BY trace_id
)
