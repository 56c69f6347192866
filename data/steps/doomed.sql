-- a row: one trace that a sweep takes: too old, or among the first to end of $share of all records
CREATE OR REPLACE TEMP TABLE doomed AS
SELECT trace_id, true AS dirty FROM ages WHERE since_ns < $before
UNION
SELECT trace_id, true
FROM (
    SELECT trace_id, sum(records) OVER (ORDER BY ended_ns, trace_id) - records AS earlier FROM ages
)
WHERE earlier < (SELECT count(*) FROM records) * $share
