-- a row: one slice of a selected request's partition; $trace_id, $root_key null: of all of them
SELECT segments.*  -- columns and units as in SEGMENTS_SCHEMA
FROM segments SEMI JOIN selected USING (trace_id, root_key)
WHERE ($trace_id::VARCHAR IS NULL OR trace_id = $trace_id)
    AND ($root_key::VARCHAR IS NULL OR root_key = $root_key)
ORDER BY trace_id, root_key, start_ns, end_ns
