-- a row: one stage, as usual in selected requests of the same route as one request
WITH usual AS (
    SELECT
        count(*)::BIGINT AS n,
        quantile_cont(
            COLUMNS(* EXCLUDE (trace_id, root_key, route, start_ns, excluded)), [0.05, 0.5, 0.95]
        )
    FROM selected_stages
    WHERE NOT excluded AND EXISTS (
        SELECT 1 FROM requests AS mine
        WHERE mine.trace_id = $trace_id AND mine.root_key = $root_key
            AND mine.route IS NOT DISTINCT FROM selected_stages.route
    )
)
SELECT
    left(stage, -3) AS stage,
    round(length[1])::BIGINT AS p5_ns,
    round(length[2])::BIGINT AS p50_ns,
    round(length[3])::BIGINT AS p95_ns,
    n  -- requests, this one too
FROM (UNPIVOT usual ON COLUMNS(* EXCLUDE (n)) INTO NAME stage VALUE length)
