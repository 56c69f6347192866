-- a row: the selected request that is next slower, or next faster, than one; side says which
WITH mine AS (
    SELECT e2e_ns, trace_id, root_key FROM requests
    WHERE trace_id = $trace_id AND root_key = $root_key
), slower AS (
    SELECT 'slower' AS side, s.trace_id, s.root_span_id, s.root_key, s.e2e_ns
    FROM selected AS s, mine
    WHERE (s.e2e_ns, s.trace_id, s.root_key) > (mine.e2e_ns, mine.trace_id, mine.root_key)
    ORDER BY s.e2e_ns, s.trace_id, s.root_key
    LIMIT 1
), faster AS (
    SELECT 'faster' AS side, s.trace_id, s.root_span_id, s.root_key, s.e2e_ns
    FROM selected AS s, mine
    WHERE (s.e2e_ns, s.trace_id, s.root_key) < (mine.e2e_ns, mine.trace_id, mine.root_key)
    ORDER BY s.e2e_ns DESC, s.trace_id DESC, s.root_key DESC
    LIMIT 1
)
SELECT side, trace_id, root_span_id, root_key, e2e_ns  -- ns
FROM slower UNION ALL SELECT side, trace_id, root_span_id, root_key, e2e_ns FROM faster
