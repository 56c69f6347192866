-- a row: one look that no span of the store had before
INSERT INTO looks
SELECT nextval('look_ids'), *
FROM (SELECT DISTINCT * EXCLUDE (number) FROM fresh) AS fresh ANTI JOIN looks ON {same}
