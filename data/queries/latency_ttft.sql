-- a row: one request with its time per stage until its first token, null where it has none
SELECT
    trace_id, root_key, root_span_id, name, service, route, model, version, status,
    start_ns,                                    -- ns since the epoch
    e2e_ns, ttft_ns, ttft_source,                -- ns
    input_tokens, cached_tokens, output_tokens,  -- tokens of the answer call
    excluded,
    {ttft_stages}                                -- ns per stage; their sum is ttft_ns
FROM selected
