-- a row: one distinct record of a batch, and where it is stored already
CREATE OR REPLACE TEMP TABLE incoming AS
WITH hashed AS (
    SELECT row_number() OVER () AS row, md5_number(to_json(b)::VARCHAR) AS record_hash, b.*
    FROM batch AS b
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
FROM (SELECT DISTINCT ON (record_hash) * FROM hashed ORDER BY row) AS hashed
    LEFT JOIN known USING (record_hash)
