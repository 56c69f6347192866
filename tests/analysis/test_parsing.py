from builders import MS, T0, TRACE, span_id, spans

from analysis.parsing import parse
from analysis.tree import Event, Link


def test_a_record_becomes_a_span_with_its_json_parsed():
    batch = spans(
        "a . web server 0 100 POST /chat",
        a={
            "attributes": {"n": 1},
            "resource": {"service.version": "2"},
            "events": [{"name": "first", "time_ns": T0 + MS, "attributes": {"x": "y"}}],
            "links": [{"trace_id": TRACE, "span_id": span_id("z"), "type": "follows_from"}],
            "flags": ["unit_inferred"],
        },
    )
    (span,) = parse(batch.table)[TRACE]
    assert (span.key, span.parent_id, span.name) == (span_id("a"), None, "POST /chat")
    assert (span.raw_start, span.raw_end, span.start) == (T0, T0 + 100 * MS, T0)
    assert (span.attributes, span.resource) == ({"n": 1}, {"service.version": "2"})
    assert span.events == [Event("first", T0 + MS, {"x": "y"})]
    assert span.links == [Link(TRACE, span_id("z"), "follows_from")]
    assert span.flags == {"unit_inferred": None}


def test_every_record_stays_a_span_of_its_own_and_traces_are_apart():
    table = spans("a . web server 0 9 x", "a . web server 0 9 x").table
    other = spans("a . web server - - x", trace_id="other").table
    import pyarrow as pa

    parsed = parse(pa.concat_tables([table, other]))
    assert {trace: len(found) for trace, found in parsed.items()} == {TRACE: 2, "other": 1}
    assert parsed["other"][0].raw_end is None


def test_no_records_make_no_traces():
    assert parse(spans().table) == {}
