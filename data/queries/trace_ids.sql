-- a row: one trace whose id is $trace or begins with it; 20 at most
SELECT DISTINCT trace_id
FROM selected
WHERE starts_with(trace_id, $trace) OR trace_id = lpad($trace, 32, '0')
ORDER BY trace_id
LIMIT 20
