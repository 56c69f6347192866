-- a row: one request of a page of the list; $sort is slowest, newest or unusual
WITH found AS (
    SELECT
        trace_id, root_key, start_ns, e2e_ns,
        e2e_ns / nullif(
            median(e2e_ns) FILTER (NOT excluded) OVER (PARTITION BY route), 0
        ) AS times_usual,                     -- e2e against the median of its route
        count(*) OVER ()::BIGINT AS total     -- requests on all pages
    FROM selected
    WHERE $search::VARCHAR IS NULL OR contains(lower(trace_id), lower($search))
        OR contains(lower(route), lower($search)) OR contains(lower(name), lower($search))
        OR (trace_id, root_key) IN (
            SELECT (trace_id, root_key) FROM span_rows
            WHERE contains(lower(attributes), lower($search))
        )
), page AS (
    SELECT trace_id, root_key, times_usual, total
    FROM found
    ORDER BY
        CASE $sort WHEN 'newest' THEN start_ns END DESC NULLS LAST,
        CASE $sort WHEN 'unusual' THEN times_usual END DESC NULLS LAST,
        e2e_ns DESC, trace_id, root_key
    LIMIT coalesce($limit::BIGINT, 50) OFFSET coalesce($offset::BIGINT, 0)
)
SELECT selected.*, times_usual, total  -- selected: units as in REQUESTS_SCHEMA
FROM page JOIN selected USING (trace_id, root_key)
ORDER BY
    CASE $sort WHEN 'newest' THEN start_ns END DESC NULLS LAST,
    CASE $sort WHEN 'unusual' THEN times_usual END DESC NULLS LAST,
    e2e_ns DESC, trace_id, root_key
