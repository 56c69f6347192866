-- a row: one of the three traces whose ids are most like $trace
SELECT trace_id
FROM (SELECT DISTINCT trace_id FROM selected)
ORDER BY jaro_winkler_similarity(trace_id, $trace) DESC, trace_id
LIMIT 3
