-- a row: the selected requests in figures; percentiles by interpolation, without excluded ones
SELECT
    count(*)::BIGINT AS n,                               -- requests, excluded ones too
    count(*) FILTER (excluded)::BIGINT AS excluded,
    count(*) FILTER (status = 'error')::BIGINT AS failed,
    CASE WHEN $slo_ns::BIGINT IS NOT NULL
        THEN count(*) FILTER (NOT excluded AND e2e_ns <= $slo_ns) END::BIGINT AS within_slo,
    count(ttft_ns) FILTER (NOT excluded)::BIGINT AS n_ttft,  -- requests that have one
    count(tpot_ns) FILTER (NOT excluded)::BIGINT AS n_tpot,
    round(avg(e2e_ns) FILTER (NOT excluded))::BIGINT AS e2e_mean_ns,
    round(quantile_cont(e2e_ns, 0.5) FILTER (NOT excluded))::BIGINT AS e2e_p50_ns,
    round(quantile_cont(e2e_ns, 0.95) FILTER (NOT excluded))::BIGINT AS e2e_p95_ns,
    round(quantile_cont(e2e_ns, 0.99) FILTER (NOT excluded))::BIGINT AS e2e_p99_ns,
    round(quantile_cont(ttft_ns, 0.5) FILTER (NOT excluded))::BIGINT AS ttft_p50_ns,
    round(quantile_cont(ttft_ns, 0.95) FILTER (NOT excluded))::BIGINT AS ttft_p95_ns,
    round(quantile_cont(ttft_ns, 0.99) FILTER (NOT excluded))::BIGINT AS ttft_p99_ns,
    round(quantile_cont(tpot_ns, 0.5) FILTER (NOT excluded))::BIGINT AS tpot_p50_ns,
    round(quantile_cont(tpot_ns, 0.95) FILTER (NOT excluded))::BIGINT AS tpot_p95_ns,
    round(quantile_cont(tpot_ns, 0.99) FILTER (NOT excluded))::BIGINT AS tpot_p99_ns,
    max(e2e_ns)::BIGINT AS e2e_max_ns,                   -- of all, excluded ones too
    min(e2e_ns) FILTER (excluded)::BIGINT AS bound_low_ns,   -- lower bounds of excluded ones
    max(e2e_ns) FILTER (excluded)::BIGINT AS bound_high_ns
FROM selected
