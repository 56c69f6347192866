-- meta: a row is one fact about this file, such as its schema_version
CREATE TABLE IF NOT EXISTS meta (
    key VARCHAR NOT NULL PRIMARY KEY,
    value VARCHAR NOT NULL
);

CREATE SEQUENCE IF NOT EXISTS import_ids;
CREATE SEQUENCE IF NOT EXISTS look_ids;

-- imports: a row is one file, pull or stream that was read; only state 'done' is seen by readers
CREATE TABLE IF NOT EXISTS imports (
    import_id BIGINT NOT NULL,
    name VARCHAR NOT NULL,
    format VARCHAR NOT NULL,             -- "" until settled
    hash VARCHAR NOT NULL,               -- digest of the content that was read
    state VARCHAR NOT NULL,              -- pending or done
    sample BOOLEAN NOT NULL,             -- shown only while there is nothing else
    bytes BIGINT NOT NULL,
    added_ns BIGINT NOT NULL,            -- ns since the epoch
    spans BIGINT NOT NULL,               -- distinct spans
    new_spans BIGINT NOT NULL,           -- of these, not stored before
    duplicates BIGINT NOT NULL,          -- records that were stored already, or repeated
    points BIGINT NOT NULL,              -- metric points
    rejected VARCHAR NOT NULL,           -- JSON [{reason, count, example}]
    dropped VARCHAR NOT NULL,            -- JSON {kind: count}
    requests BIGINT NOT NULL,            -- when it was settled
    flags VARCHAR NOT NULL               -- JSON {flag: count}, when it was settled
);

-- records: a row is one span as one import brought it; one import holds a record once
CREATE TABLE IF NOT EXISTS records (
    import_id BIGINT NOT NULL,
    record_hash UHUGEINT NOT NULL,       -- md5 of the whole record
    trace_id VARCHAR NOT NULL,
    span_id VARCHAR NOT NULL USING COMPRESSION uncompressed,  -- ids hardly repeat
    parent_id VARCHAR USING COMPRESSION uncompressed,
    name VARCHAR NOT NULL,
    service VARCHAR,
    host VARCHAR,
    kind VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    scope VARCHAR,
    start_ns BIGINT,                     -- ns since the epoch, as exported
    end_ns BIGINT,
    shared BOOLEAN NOT NULL,
    attributes VARCHAR NOT NULL USING COMPRESSION zstd,  -- JSON
    resource VARCHAR NOT NULL,           -- JSON
    events VARCHAR NOT NULL,             -- JSON
    links VARCHAR NOT NULL,              -- JSON
    flags VARCHAR[] NOT NULL
);

-- metric_points: a row is one point of one series as one import brought it
CREATE TABLE IF NOT EXISTS metric_points (
    import_id BIGINT NOT NULL,
    record_hash UHUGEINT NOT NULL,       -- md5 of the whole point
    name VARCHAR NOT NULL,
    labels VARCHAR NOT NULL,             -- JSON
    kind VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    time_ns BIGINT,                      -- ns since the epoch
    value DOUBLE,
    count DOUBLE,
    sum DOUBLE,
    buckets VARCHAR NOT NULL,            -- JSON [[upper bound, cumulative count]]
    flags VARCHAR[] NOT NULL
);

-- clock_lines: a row is what all calls of a quarter of an hour say of the clocks of two hosts
CREATE TABLE IF NOT EXISTS clock_lines (
    quarter BIGINT NOT NULL,             -- quarters of an hour since the epoch
    above VARCHAR NOT NULL,              -- the host that sorts first
    below VARCHAR NOT NULL,
    at_ns BIGINT NOT NULL,               -- ns since the epoch
    shift_ns BIGINT NOT NULL,            -- to add to the times of `below` at that instant
    drift_ppb BIGINT NOT NULL            -- by how much that changes, ns per s
);

-- visible_imports: a row is an import whose data is shown
CREATE OR REPLACE VIEW visible_imports AS
SELECT *
FROM imports
WHERE state = 'done' AND (NOT sample OR NOT EXISTS (
    SELECT 1 FROM imports AS other
    WHERE other.state = 'done' AND NOT other.sample AND other.spans + other.points > 0
));
