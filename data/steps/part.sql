-- a row: requests of an import among the traces that change, with how often a flag stands on them
WITH mine AS (
    SELECT trace_id, count(*) AS requests
    FROM requests
    WHERE list_contains(import_ids, $import_id)
        AND trace_id IN (SELECT trace_id FROM contributors)
    GROUP BY trace_id
)
SELECT NULL AS flag, coalesce(sum(requests), 0)::BIGINT AS count FROM mine
UNION ALL
SELECT flag, count(*) FROM flags WHERE trace_id IN (SELECT trace_id FROM mine) GROUP BY flag
