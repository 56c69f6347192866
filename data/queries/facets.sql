-- a row: one value of one column that can be filtered by, most frequent first
SELECT facet, value, count(*)::BIGINT AS n  -- requests
FROM (
    UNPIVOT (SELECT service, route, model, version, status FROM selected)
    ON service, route, model, version, status INTO NAME facet VALUE value
)
GROUP BY facet, value
UNION ALL
SELECT 'data_set', import_id::VARCHAR, count(*)::BIGINT
FROM (SELECT unnest(import_ids) AS import_id FROM selected)
GROUP BY import_id
ORDER BY facet, n DESC, value
