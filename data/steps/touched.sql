-- a row: one trace of an import; dirty where it brought a record that no other import holds
CREATE OR REPLACE TEMP TABLE touched AS
WITH others AS (
    SELECT DISTINCT record_hash
    FROM records JOIN imports USING (import_id)
    WHERE state = 'done' AND import_id <> $import_id
        AND record_hash IN (SELECT record_hash FROM records WHERE import_id = $import_id)
)
SELECT
    trace_id,
    bool_or(others.record_hash IS NULL) AS dirty,
    count(DISTINCT (span_id, shared)) AS spans,
    count(DISTINCT (span_id, shared)) FILTER (others.record_hash IS NULL) AS own_spans
FROM records LEFT JOIN others USING (record_hash)
WHERE import_id = $import_id
GROUP BY trace_id
