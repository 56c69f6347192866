-- a row: one distinct record of a trace, as exported
SELECT * EXCLUDE (import_id, record_hash)
FROM (
    SELECT DISTINCT ON (record_hash) *
    FROM records
    WHERE trace_id = $trace_id AND import_id IN (SELECT import_id FROM visible_imports)
)
ORDER BY start_ns, record_hash
