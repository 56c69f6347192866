-- a row: one cleaned span of the selected requests; $trace_id, $root_key null: of all of them
SELECT spans.* EXCLUDE (place)  -- columns and units as in SPANS_SCHEMA; parents before children
FROM spans SEMI JOIN selected USING (trace_id, root_key)
WHERE ($trace_id::VARCHAR IS NULL OR trace_id = $trace_id)
    AND ($root_key::VARCHAR IS NULL OR root_key = $root_key)
ORDER BY place
