-- a row: how many distinct spans the data sets of $data_sets hold together
SELECT count(DISTINCT (trace_id, span_id, shared))::BIGINT AS spans
FROM records
WHERE list_contains($data_sets::BIGINT[], import_id)
