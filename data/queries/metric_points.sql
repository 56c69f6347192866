-- a row: one metric point of the selected data sets and time; $metric null: of every metric
SELECT
    p.name,
    p.labels,           -- JSON
    p.kind,             -- gauge counter histogram summary unknown
    p.unit,
    p.time_ns,          -- ns since the epoch; null where the scrape gave none
    p.value, p.count, p.sum,
    p.buckets,          -- JSON [[upper bound, cumulative count]]
    p.flags,
    added_ns AS seen_ns -- ns since the epoch: when it was imported
FROM (
    SELECT DISTINCT ON (record_hash) * FROM selected_points
    WHERE $metric::VARCHAR IS NULL OR name = $metric
    ORDER BY import_id
) AS p JOIN imports USING (import_id)
ORDER BY p.name, p.labels, p.time_ns, p.record_hash
