-- a row: the time that the selected requests cover
SELECT
    min(start_ns)::BIGINT AS start_ns,  -- ns since the epoch; null without requests
    max(end_ns)::BIGINT AS end_ns,      -- ns since the epoch
    max(start_ns)::BIGINT AS last_start_ns,
    count(*)::BIGINT AS n               -- requests
FROM selected
