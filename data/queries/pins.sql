-- a row: one pinned trace, the last pinned first
SELECT trace_id, pinned_ns FROM pins ORDER BY pinned_ns DESC, trace_id
