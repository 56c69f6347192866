"""Plain traces derived column by column; whatever is awkward about a trace is left to `derive`."""
