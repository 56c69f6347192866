-- a row: whether another import holds traces of this one
SELECT EXISTS (
    FROM records JOIN imports USING (import_id)
    WHERE state = 'done' AND import_id <> $import_id
        AND trace_id IN (SELECT trace_id FROM records WHERE import_id = $import_id)
)
