-- a row: one touched or stale trace, which imports hold records of it, and whether all are the sample
CREATE OR REPLACE TEMP TABLE contributors AS
SELECT trace_id, list_sort(list(DISTINCT import_id)) AS import_ids, bool_and(sample) AS sample
FROM records JOIN imports USING (import_id)
WHERE state = 'done' AND trace_id IN (SELECT trace_id FROM touched UNION SELECT trace_id FROM stale)
GROUP BY trace_id
