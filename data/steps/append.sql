-- a row: one record of a batch that its import did not hold yet
INSERT INTO {table}
SELECT $import_id, record_hash, numbered.* EXCLUDE (row)
FROM (SELECT row_number() OVER () AS row, * FROM batch) AS numbered
    JOIN incoming USING (row)
WHERE NOT here
ORDER BY row
