-- a row: one metric point that a sweep takes: too old, or among the oldest $share of all
CREATE OR REPLACE TEMP TABLE old_points AS
WITH aged AS (
    SELECT p.rowid AS place, coalesce(time_ns, added_ns) AS at_ns, added_ns
    FROM metric_points AS p JOIN imports USING (import_id)
    WHERE state = 'done' AND NOT sample
)
SELECT place FROM aged WHERE greatest(at_ns, added_ns) < $before
UNION
SELECT place
FROM (SELECT place, row_number() OVER (ORDER BY at_ns, place) AS n, count(*) OVER () AS all_n FROM aged)
WHERE n <= ceil(all_n * $share)
