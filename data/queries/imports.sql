-- a row: one data set that was imported, newest first, the hidden sample too
WITH times AS (
    SELECT
        import_id,
        count(*)::BIGINT AS requests_now,
        (sum(unattributed_ns) / nullif(sum(e2e_ns), 0))::DOUBLE AS unattributed_share
    FROM (SELECT unnest(import_ids) AS import_id, unattributed_ns, e2e_ns FROM requests)
    GROUP BY import_id
)
SELECT
    import_id, name, format, hash, sample,
    import_id NOT IN (SELECT import_id FROM visible_imports) AS hidden,
    bytes,
    added_ns,                   -- ns since the epoch
    spans, new_spans,           -- distinct spans; those that no earlier import had
    duplicates, points,         -- records that were stored already; metric points
    rejected, dropped,          -- JSON [{reason, count, example}]; JSON {kind: count}
    coalesce(requests_now, 0)::BIGINT AS requests,
    flags,                      -- JSON {flag: spans}
    unattributed_share          -- of its requests' time; null without requests
FROM imports LEFT JOIN times USING (import_id)
WHERE state = 'done'
ORDER BY added_ns DESC, import_id DESC
