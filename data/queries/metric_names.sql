-- a row: one metric of the selected data sets and time
SELECT
    name, kind, unit,
    count(DISTINCT labels)::BIGINT AS series,
    count(DISTINCT record_hash)::BIGINT AS points
FROM selected_points
GROUP BY name, kind, unit
ORDER BY name, kind, unit
