-- a row: one trace of an import, none of whose traces another import holds; all are dirty
CREATE OR REPLACE TEMP TABLE touched AS
WITH told AS (
    SELECT trace_id, count(*) AS records
    FROM records
    WHERE import_id = $import_id
    GROUP BY trace_id, span_id, shared
)
SELECT
    trace_id,
    true AS dirty,
    count(*) AS spans,
    count(*) AS own_spans,
    sum(records)::BIGINT AS own_records
FROM told
GROUP BY trace_id
