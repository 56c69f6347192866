-- a row: one record of a batch of traces that one import brought and that lie there alone
SELECT * EXCLUDE (import_id, record_hash)
FROM records
WHERE rowid BETWEEN $low AND $high
