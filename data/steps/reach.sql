-- a row: one trace with a span of which, by all records of it, every condition of a rule holds
CREATE OR REPLACE TEMP TABLE reached AS
WITH told AS (
    SELECT
        r.trace_id, r.span_id,
        coalesce(s.bits, 0) | coalesce(t.bits, 0) | coalesce(c.bits, 0) AS bits
    FROM records AS r
        LEFT JOIN shape_bits AS s ON r.name = s.name
            AND r.service IS NOT DISTINCT FROM s.service AND r.kind = s.kind
            AND r.status = s.status AND r.scope IS NOT DISTINCT FROM s.scope
        LEFT JOIN resource_bits AS t ON r.resource = t.resource
        LEFT JOIN (SELECT place, bit_or(bits) AS bits FROM carried_bits GROUP BY place) AS c
            ON r.rowid = c.place
    WHERE r.import_id IN (SELECT import_id FROM imports WHERE state = 'done')
), joined AS (
    SELECT trace_id, bit_or(bits) AS bits FROM told WHERE bits <> 0 GROUP BY trace_id, span_id
)
SELECT DISTINCT trace_id
FROM joined
WHERE list_bool_or([bits & need = need FOR need IN $needs::BIGINT[]])
