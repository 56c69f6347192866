-- a row: one reached trace that is shown
CREATE OR REPLACE TEMP TABLE seen AS
SELECT trace_id, count(*) AS records
FROM records
WHERE import_id IN (SELECT import_id FROM visible_imports)
    AND trace_id IN (SELECT trace_id FROM reached)
GROUP BY trace_id
