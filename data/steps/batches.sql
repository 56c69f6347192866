-- a row: one batch of traces, where its records lie, and whether they lie there alone and once each
SELECT
    batch, count(*), min(low), max(high),
    NOT bool_or(mixed) AND sum(records) = max(high) - min(low) + 1
FROM work
GROUP BY batch
ORDER BY batch
