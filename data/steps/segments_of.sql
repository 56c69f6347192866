-- a row: one stored slice of a request, of the traces of one batch of work
SELECT trace_id, root_key, start_ns, end_ns, stage
FROM segments
WHERE trace_id IN (SELECT trace_id FROM work WHERE batch = $batch)
ORDER BY trace_id, root_key, start_ns
