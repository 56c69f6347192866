-- a row: the requests that started in one bin of $bin_ns, without excluded ones; no empty bins
SELECT
    start_ns // $bin_ns * $bin_ns AS bin_start_ns,  -- ns since the epoch
    count(*)::BIGINT AS n,
    avg(COLUMNS(* EXCLUDE (trace_id, root_key, route, start_ns, excluded)))  -- mean ns per stage
FROM selected_stages
WHERE NOT excluded
GROUP BY bin_start_ns
ORDER BY bin_start_ns
