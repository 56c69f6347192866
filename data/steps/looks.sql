-- a row: the stored look of each of some looks, in their order
SELECT looks.look
FROM fresh JOIN looks ON {same}
ORDER BY number
