-- a row: the newest data set of a name and format
SELECT import_id
FROM imports
WHERE state = 'done' AND name = $called AND format = $format
ORDER BY added_ns DESC, import_id DESC
LIMIT 1
