-- a row: one trace of a finished import
CREATE OR REPLACE TEMP TABLE reached AS
SELECT DISTINCT trace_id
FROM records
WHERE import_id IN (SELECT import_id FROM imports WHERE state = 'done')
