-- a row: spans of one name and service that hold time which no rule gave a stage, most first
-- Those that never arrived come as one row without a name: no rule can take them.
WITH held AS (
    SELECT
        spans.name, spans.service, key LIKE 'missing/%' AS absent, trace_id, root_key, key,
        sum(segments.end_ns - segments.start_ns)::BIGINT AS length_ns
    FROM segments
        JOIN spans USING (trace_id, root_key, key)
        SEMI JOIN selected USING (trace_id, root_key)
    WHERE segments.stage = 'unattributed'
    GROUP BY ALL
)
SELECT
    name, service, absent,
    count(DISTINCT (trace_id, root_key))::BIGINT AS requests,
    count(*)::BIGINT AS spans,
    sum(length_ns)::BIGINT AS total_ns,
    (sum(length_ns) / (SELECT nullif(sum(e2e_ns), 0) FROM selected))::DOUBLE AS share  -- of all time
FROM held
GROUP BY name, service, absent
ORDER BY total_ns DESC, name, service, absent
LIMIT coalesce($limit::BIGINT, 20)
