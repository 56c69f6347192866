-- a row: how many distinct spans an import adds to the one that it joins
SELECT count(DISTINCT (trace_id, span_id, shared))::BIGINT
FROM records
WHERE import_id = $import_id AND (trace_id, span_id, shared) NOT IN (
    SELECT (trace_id, span_id, shared) FROM records
    WHERE import_id = $into
        AND trace_id IN (SELECT trace_id FROM records WHERE import_id = $import_id)
)
