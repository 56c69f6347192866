-- a row: the least and most tokens of the selected requests' answer calls
SELECT
    min(input_tokens)::BIGINT AS input_low,  -- tokens; null where no request has a count
    max(input_tokens)::BIGINT AS input_high,
    min(output_tokens)::BIGINT AS output_low,
    max(output_tokens)::BIGINT AS output_high
FROM selected
