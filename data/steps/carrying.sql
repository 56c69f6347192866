-- a row: the place of one record, and its text in which one of the words in $asked stands
SELECT rowid, {column}
FROM records
WHERE {column} NOT IN ('[]', '{{}}') AND list_bool_or([contains({column}, word) FOR word IN $asked])
