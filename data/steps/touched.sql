-- a row: one trace of an import; dirty where it brought a record that no other import holds
CREATE OR REPLACE TEMP TABLE touched AS
WITH mine AS (
    SELECT trace_id, span_id, shared, record_hash FROM records WHERE import_id = $import_id
), others AS (
    SELECT trace_id, span_id, shared, record_hash
    FROM records JOIN imports USING (import_id)
    WHERE state = 'done' AND import_id <> $import_id
        AND trace_id IN (SELECT trace_id FROM mine)
), seen AS (
    SELECT
        *,
        record_hash IN (SELECT record_hash FROM others) AS known_record,
        (trace_id, span_id, shared) IN (
            SELECT (trace_id, span_id, shared) FROM others
        ) AS known_span
    FROM mine
)
SELECT
    trace_id,
    bool_or(NOT known_record) AS dirty,
    count(DISTINCT (span_id, shared)) AS spans,
    count(DISTINCT (span_id, shared)) FILTER (NOT known_span) AS own_spans,
    count(*) FILTER (NOT known_record) AS own_records
FROM seen
GROUP BY trace_id
