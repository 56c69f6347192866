-- a row: one request with its lengths, tokens and time per stage
SELECT
    trace_id, root_key, root_span_id, name, service, route, model, emitter, version, status,
    start_ns,                                       -- ns since the epoch
    e2e_ns, ttft_ns, tpot_ns,                       -- ns
    input_tokens, cached_tokens, output_tokens,     -- tokens of the answer call
    total_input_tokens, total_cached_tokens, total_output_tokens,  -- of all calls
    n_calls, n_spans, excluded,
    {stages}                                        -- ns per stage; their sum is e2e_ns
FROM selected
