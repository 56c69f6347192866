-- a row: the requests with a first token that started in one bin of $bin_ns, without excluded ones
WITH timed AS (
    SELECT start_ns, {ttft_stages} FROM selected WHERE NOT excluded AND ttft_ns IS NOT NULL
)
SELECT
    start_ns // $bin_ns * $bin_ns AS bin_start_ns,  -- ns since the epoch
    count(*)::BIGINT AS n,
    avg(COLUMNS(* EXCLUDE (start_ns)))              -- mean ns per stage; their sum is TTFT's mean
FROM timed
GROUP BY bin_start_ns
ORDER BY bin_start_ns
