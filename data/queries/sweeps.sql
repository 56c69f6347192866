-- a row: one sweep that took something, the last first; days and bytes are the limits that held
SELECT swept_ns, days, bytes, requests, spans, points
FROM sweeps
ORDER BY swept_ns DESC
LIMIT 100
