-- a row: one trace to try: all that were seen, or as many as hold $most records
CREATE OR REPLACE TEMP TABLE stale AS
SELECT trace_id
FROM (
    SELECT
        trace_id,
        sum(records) OVER (ORDER BY hash(trace_id), trace_id) AS upto,
        row_number() OVER (ORDER BY hash(trace_id), trace_id) AS place
    FROM seen
)
WHERE $most::BIGINT IS NULL OR upto <= $most OR place = 1
