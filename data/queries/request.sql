-- a row: one request of a trace, longest first; $root_key null: every request of the trace
SELECT *  -- columns and units as in REQUESTS_SCHEMA, and import_ids
FROM selected
WHERE trace_id = $trace_id AND ($root_key::VARCHAR IS NULL OR root_key = $root_key)
ORDER BY e2e_ns DESC, start_ns, root_key
