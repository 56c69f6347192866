-- a row: one distinct record of a batch, its place there, and where it is stored already
CREATE OR REPLACE TEMP TABLE incoming AS
WITH hashed AS (
    SELECT min(row) AS row, record_hash
    FROM (
        SELECT row_number() OVER () AS row, md5_number(to_json(b)::VARCHAR) AS record_hash
        FROM batch AS b
    )
    GROUP BY record_hash
), known AS (
    SELECT
        record_hash,
        bool_or(import_id = $import_id) AS here,
        bool_or(state = 'done') AS elsewhere
    FROM {table} JOIN imports USING (import_id)
    WHERE record_hash IN (SELECT record_hash FROM hashed)
        AND (state = 'done' OR import_id = $import_id)
    GROUP BY record_hash
)
SELECT hashed.*, coalesce(here, false) AS here, coalesce(elsewhere, false) AS elsewhere
FROM hashed LEFT JOIN known USING (record_hash)
