-- a row: one trace that a sweep may take, its records, when it ended and was last added to (ns)
-- Pinned traces stay, as do the sample and what an import that still runs brings more of.
CREATE OR REPLACE TEMP TABLE ages AS
SELECT
    trace_id, count(*) AS records,
    coalesce(max(coalesce(end_ns, start_ns)), max(added_ns)) AS ended_ns,
    greatest(ended_ns, max(added_ns)) AS since_ns
FROM records JOIN imports USING (import_id)
WHERE trace_id NOT IN (SELECT trace_id FROM pins)
GROUP BY trace_id
HAVING bool_and(state = 'done' AND NOT sample)
