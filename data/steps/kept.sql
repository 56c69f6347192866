-- pins: a row is a trace that no sweep takes; sweeps: a row is one sweep that took something
CREATE TABLE IF NOT EXISTS pins (
    trace_id VARCHAR NOT NULL PRIMARY KEY,
    pinned_ns BIGINT NOT NULL            -- ns since the epoch
);
CREATE TABLE IF NOT EXISTS sweeps (
    swept_ns BIGINT NOT NULL,            -- ns since the epoch
    days DOUBLE,                         -- the limits that held, null where there was none
    bytes BIGINT,
    requests BIGINT NOT NULL,            -- what went
    spans BIGINT NOT NULL,               -- records
    points BIGINT NOT NULL
);
