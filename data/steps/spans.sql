-- a row: one span, as in SPANS_SCHEMA, and its place among all
CREATE OR REPLACE VIEW spans AS
SELECT
    trace_id, root_key, key, coalesce(span_id, key) AS span_id, parent_key,
    service, host, name, kind, status,
    start_ns, end_ns, raw_start_ns, raw_end_ns, self_ns,
    stage, rule, role, blocking, observer, depth,
    coalesce(pieces, '') AS pieces, coalesce(flags, '{{}}') AS flags, attributes,
    coalesce(events, '[]') AS events, coalesce(links, '[]') AS links,
    span_rows.rowid AS place
FROM span_rows JOIN looks USING (look)
