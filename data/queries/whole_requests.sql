-- a row: one selected request with all that is known of it
SELECT *  -- columns and units as in REQUESTS_SCHEMA, and import_ids
FROM selected
ORDER BY start_ns, trace_id, root_key
