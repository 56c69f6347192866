-- a row: one look that no span has any more
DELETE FROM looks WHERE look NOT IN (SELECT look FROM span_rows)
