-- a row: one import that a sweep takes records or points from, with what is left of its counts
UPDATE imports
SET spans = imports.spans - gone.spans, points = imports.points - gone.points,
    new_spans = least(new_spans, imports.spans - gone.spans)
FROM (
    SELECT import_id, sum(spans)::BIGINT AS spans, sum(points)::BIGINT AS points
    FROM (
        SELECT import_id, count(DISTINCT (trace_id, span_id, shared)) AS spans, 0 AS points
        FROM records WHERE trace_id IN (SELECT trace_id FROM doomed) GROUP BY import_id
        UNION ALL
        SELECT import_id, 0, count(*)
        FROM metric_points WHERE rowid IN (SELECT place FROM old_points) GROUP BY import_id
    )
    GROUP BY import_id
) AS gone
WHERE imports.import_id = gone.import_id
RETURNING imports.import_id
