-- a row: one request that has a first token, with its time per stage until then
SELECT
    trace_id, root_key, root_span_id, name, service, route, model, version, status,
    start_ns,                                    -- ns since the epoch
    e2e_ns, ttft_ns, ttft_source,                -- ns
    input_tokens, cached_tokens, output_tokens,  -- tokens of the answer call
    excluded,
    {ttft_stages}                                -- ns per stage; their sum is ttft_ns
FROM selected
WHERE ttft_ns IS NOT NULL
