-- a row: one record or point of an import that the import it joins holds already
DELETE FROM {table}
WHERE import_id = $import_id
    AND record_hash IN (SELECT record_hash FROM {table} WHERE import_id = $into)
