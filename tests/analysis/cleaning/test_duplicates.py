import itertools

import pytest
from builders import MS, T0, rows
from cleaned import by_name, cleaned, ms
from strategies import nodes

from analysis.cleaning import clean

ROOT = "a . web server 0 120 chat"


def in_every_order(*records):
    """The cleaned spans, the same for every order of the records."""
    found = [by_name(clean(nodes(list(order)))) for order in itertools.permutations(records)]
    for other in found[1:]:
        assert {k: (s.start, s.end, s.flags, s.attributes) for k, s in other.items()} == {
            k: (s.start, s.end, s.flags, s.attributes) for k, s in found[0].items()
        }
    return found[0]


def test_an_exact_duplicate_counts_once_and_needs_no_flag():
    found = cleaned(ROOT, "b a web client 20 80 generate", "b a web client 20 80 generate")
    assert {name: span.flags for name, span in found.items()} == {"a": {}, "b": {}}


def test_what_a_backend_remarked_makes_no_second_record():
    one, other = rows("b . web client 20 80 x", "b . web client 20 80 x")
    other["attributes"] = '{"jaeger.warnings": ["duplicate span IDs"]}'
    assert in_every_order(one, other)["b"].flags == {}


@pytest.mark.parametrize("partial", ["b a web client 20 - generate", "b a web client - - generate"])
def test_the_complete_record_is_kept_whatever_the_order(partial):
    found = in_every_order(*rows(ROOT, partial, "b a web client 21 80 generate"))
    assert ms(found["b"]) == (21, 80)
    assert found["b"].flags == {"partial_record": None}


def test_a_start_and_an_end_that_came_apart_make_one_span():
    begin, end = rows("b . web client 20 - x", "b . web client - 80 x")
    begin["attributes"], end["attributes"] = '{"model": "m"}', '{"tokens": 7}'
    found = in_every_order(begin, end)
    assert ms(found["b"]) == (20, 80)
    assert found["b"].attributes == {"model": "m", "tokens": 7}


def test_of_two_complete_but_different_records_the_later_end_counts():
    found = in_every_order(
        *rows(ROOT, "b a web client 20 80 x", "b a web client 20 90 y", "b a web client 10 85 z")
    )
    assert (ms(found["b"]), found["b"].name) == ((20, 90), "y")
    assert found["b"].flags == {"conflicting_duplicate": None}


def test_with_equal_ends_the_content_decides_whatever_the_order():
    found = in_every_order(*rows(ROOT, "b a web client 20 80 x", "b a web client 20 80 y"))
    assert found["b"].flags == {"conflicting_duplicate": None}


ZIPKIN = (
    ROOT,
    "b a web client 5 105 call-gateway",
    "b a gateway server 15 95 route",
    "c b gateway client 25 85 generate",
)


def halves():
    records = rows(*ZIPKIN)
    records[2]["shared"] = True
    return records


def test_an_id_shared_by_client_and_server_becomes_two_spans():
    found = in_every_order(*halves())
    assert set(found) == {"a", "b", "b/server", "c"}
    assert found["b/server"].parent is found["b"]
    assert found["c"].parent is found["b/server"]
    assert (found["b"].name, found["b/server"].name) == ("call-gateway", "route")
    assert all(not span.flags for span in found.values())


def test_the_halves_are_told_apart_without_the_shared_mark_too():
    found = in_every_order(*rows(*ZIPKIN))
    assert found["b/server"].parent is found["b"]


def test_a_child_of_the_clients_service_stays_under_the_client_half():
    records = halves()
    records[3]["service"] = "web"
    assert in_every_order(*records)["c"].parent.name == "call-gateway"


def test_where_both_halves_name_one_service_children_go_under_the_server_half():
    records = halves()
    for record in records:
        record["service"] = "web"
    assert in_every_order(*records)["c"].parent.name == "route"


def test_a_late_part_without_times_joins_the_half_of_its_service():
    records = halves()
    late = rows("b . gateway unspecified - - -")[0]
    late.update(name="", attributes='{"error": "no"}')
    found = in_every_order(*records, late)
    assert set(found) == {"a", "b", "b/server", "c"}
    assert found["b/server"].attributes == {"error": "no"}
    assert found["b/server"].name == "route"
    assert found["b"].attributes == {}


def test_a_server_half_whose_client_half_is_absent_keeps_its_id_and_parent():
    records = rows(ROOT, "b a gateway server 15 95 route")
    records[1]["shared"] = True
    found = in_every_order(*records)
    assert set(found) == {"a", "b"}
    assert found["b"].parent is found["a"]


def test_one_sent_message_may_be_received_on_several_hosts():
    records = rows(ROOT, "b a web client 5 50 send", *["b a push server 20 30 receive"] * 2)
    records[2].update(shared=True, host="h1")
    records[3].update(shared=True, host="h2")
    found = in_every_order(*records)
    assert set(found) == {"a", "b", "b/server", "b/server/2"}
    assert found["b/server/2"].parent is found["b"]


def test_two_services_that_use_one_id_are_both_kept_and_flagged():
    found = in_every_order(*rows(ROOT, "b a web internal 5 20 x", "b a search internal 30 60 y"))
    assert {name: span.flags for name, span in found.items()} == {
        "a": {},
        "b": {},
        "b/2": {"shared_id": None},
    }
    assert found["b/2"].parent is found["a"]


def test_what_the_reader_repaired_in_either_record_stays_flagged():
    one, other = rows("b . web client 20 80 x", "b . web client 20 80 x")
    one["flags"] = ["unit_inferred"]
    found = in_every_order(one, other)
    assert found["b"].flags == {"unit_inferred": None}
    assert found["b"].raw_end == T0 + 80 * MS
