-- a row: one rule that took spans of the selected requests, and the time that these own
SELECT
    rule,
    count(*)::BIGINT AS spans,
    count(DISTINCT (trace_id, root_key))::BIGINT AS requests,
    sum(self_ns)::BIGINT AS total_ns
FROM spans SEMI JOIN selected USING (trace_id, root_key)
WHERE key NOT LIKE 'missing/%'
GROUP BY rule
ORDER BY rule
