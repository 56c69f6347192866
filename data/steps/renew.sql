-- a row: one request of a touched trace whose contributors changed
UPDATE requests
SET import_ids = c.import_ids, sample = c.sample
FROM contributors AS c
WHERE requests.trace_id = c.trace_id AND requests.import_ids <> c.import_ids
