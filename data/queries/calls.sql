-- a row: one model call of the selected requests; $trace_id, $root_key null: of all of them
SELECT calls.*  -- columns and units as in CALLS_SCHEMA
FROM calls SEMI JOIN selected USING (trace_id, root_key)
WHERE ($trace_id::VARCHAR IS NULL OR trace_id = $trace_id)
    AND ($root_key::VARCHAR IS NULL OR root_key = $root_key)
ORDER BY trace_id, root_key, start_ns, key
