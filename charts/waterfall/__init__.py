"""One request as a waterfall: rows from spans, bars from rows."""
