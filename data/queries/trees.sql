-- a row: one cleaned span of the selected requests, as a tree of them needs it, parents first
SELECT
    trace_id, root_key, key, parent_key,
    start_ns, end_ns,            -- ns since the epoch, after cleaning
    stage, pieces,               -- JSON [[stage, start_ns, end_ns]]; "" where one covers the span
    blocking, observer
FROM spans SEMI JOIN selected USING (trace_id, root_key)
WHERE $traces::VARCHAR[] IS NULL OR trace_id IN (SELECT unnest($traces::VARCHAR[]))
ORDER BY place
