-- a row: one flag that stands on spans of the selected requests
SELECT
    flag,
    count(DISTINCT (trace_id, root_key))::BIGINT AS requests,
    count(*)::BIGINT AS spans,
    max(abs(amount_ns))::BIGINT AS largest_ns  -- null where the flag has no amount
FROM flags SEMI JOIN selected USING (trace_id, root_key)
GROUP BY flag
ORDER BY requests DESC, flag
