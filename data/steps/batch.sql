-- a row: one distinct record of a batch of traces
-- The range of row numbers lets DuckDB skip what lies outside: the spans of a trace mostly arrive
-- together, so that a batch reads its own part of the table and not the whole.
SELECT * EXCLUDE (import_id, record_hash)
FROM (
    SELECT DISTINCT ON (record_hash) *
    FROM records
    WHERE rowid BETWEEN $low AND $high
        AND trace_id IN (SELECT trace_id FROM work WHERE batch = $batch)
        AND import_id IN (SELECT import_id FROM imports WHERE state = 'done')
)
ORDER BY trace_id, record_hash
