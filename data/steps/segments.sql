-- a row: one slice of a request's partition, as in SEGMENTS_SCHEMA; they tile the request
CREATE OR REPLACE VIEW segments AS
SELECT
    trace_id, root_key, key, coalesce(span_id, key) AS span_id,
    {stages}[slice.stage + 1] AS stage, slice.start_ns, slice.end_ns
FROM (SELECT trace_id, root_key, key, span_id, unnest(slices) AS slice FROM span_rows)
