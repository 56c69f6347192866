"""The clocks of hosts are learned from all that is stored, in whatever order it came."""

import pytest
from skewed_traces import trace
from stores import bring, contents

from analysis.clock_offsets import bounds, offsets
from analysis.derive import derive
from analysis.parsing import parse
from analysis.rules import RuleSet
from analysis.spans import SpanBatch
from data.store import Store
from services.request import show

RULES = RuleSet((), hash="none")
LATER = 2000
"""Seconds to a later quarter of an hour."""


def new_store():
    return Store(":memory:", RULES)


def batch(*traces):
    return SpanBatch.from_rows([row for made in traces for row in made])


def off(numbers, shift_ms=8):
    return [trace(number, shift_ms) for number in numbers]


def state(store):
    found = contents(store)
    requests = sorted(row.rsplit("[", 1)[0] for row in found["requests"])
    return {**found, "requests": requests}, store.offsets().lines


def test_what_all_traces_say_moves_each_of_them():
    store = new_store()
    bring(store, "few", batch(*off(range(4))))
    assert (store.offsets().lines, flags(store)) == ({}, {"outside_parent": 4})
    bring(store, "more", batch(*off(range(4, 30))))
    assert (len(store.offsets().lines), flags(store)) == (1, {"skew_corrected": 30})


def flags(store):
    return dict(store.query("flag_counts")[["flag", "spans"]].itertuples(index=False))


def test_the_lines_are_those_of_the_traces_themselves():
    store, made = new_store(), batch(*off(range(30)))
    bring(store, "one", made)
    told = [bound for spans in parse(made.table).values() for bound in bounds(spans)]
    assert store.offsets().lines == offsets(told).lines
    assert len(told) == 30


PIECES = {
    "one after another": [range(3), range(3, 6), range(6, 20), range(20, 40)],
    "the many first": [range(6, 40), range(3), range(3, 6)],
    "twice": [range(25), range(20, 40), range(40)],
}


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES)
def test_the_end_does_not_depend_on_the_order_of_imports(pieces):
    parts, once, stream = new_store(), new_store(), new_store()
    odd = [trace(90, 8, second=LATER), trace(91, 300), trace(92, 0)]
    bring(once, "all", batch(*off(range(40)), *odd))
    target, _ = bring(stream, "odd", batch(*odd))
    for number, piece in enumerate(pieces):
        bring(parts, f"piece {number}", batch(*off(piece)))
        more = stream.begin(f"piece {number}", f"hash {number}")
        stream.add(more, batch(*off(piece)))
        stream.settle(more, "x", [], {}, into=target)
    bring(parts, "odd", batch(*odd))
    assert state(parts) == state(once) == state(stream)
    assert len(once.offsets().lines) == 1


def test_spans_of_one_call_that_arrive_apart_tell_as_much_as_together():
    whole, halves = new_store(), new_store()
    records = [row for made in off(range(30)) for row in made]
    bring(whole, "all", SpanBatch.from_rows(records))
    bring(halves, "servers", SpanBatch.from_rows(records[2::3]))
    bring(halves, "others", SpanBatch.from_rows([r for r in records if r not in records[2::3]]))
    assert state(halves) == state(whole)


def test_deleting_leaves_the_clocks_as_if_it_had_never_come():
    alone, both = new_store(), new_store()
    bring(alone, "kept", batch(*off(range(4))))
    bring(both, "kept", batch(*off(range(4))))
    gone, _ = bring(both, "gone", batch(*off(range(4, 30))))
    assert state(both) != state(alone)
    both.delete(gone)
    assert state(both) == state(alone)


def watched(store):
    calls = []

    def watching(table, rules, **told):
        calls.append(len(set(table["trace_id"].to_pylist())))
        return derive(table, rules, **told)

    store._derive = watching
    return calls


def test_other_traces_are_derived_again_only_where_a_line_changes():
    store = new_store()
    later = [trace(60 + number, 8, second=LATER + number) for number in range(20)]
    bring(store, "one", batch(*off(range(4)), *later))
    calls = watched(store)
    bring(store, "a fifth call makes a line", batch(*off([4])))
    bring(store, "a call with more room", batch(widened(trace(5, 8))))
    bring(store, "nothing new", batch(*off([2])))
    assert calls == [5, 1]


def widened(made):
    """The same call with a client that waits a second longer on either side."""
    for row, sign in ((made[0], 1), (made[1], 1)):
        row["start_ns"] -= sign * 10**9
        row["end_ns"] += sign * 10**9
    return made


def test_an_import_counts_its_own_requests_though_others_go_along():
    store = new_store()
    bring(store, "one", batch(*off(range(4))))
    _, settled = bring(store, "two", batch(*off(range(4, 10))))
    assert (settled.requests, settled.flags) == (6, {"skew_corrected": 6})
    assert [list(ids) for ids in sorted(map(tuple, imports_of(store)))] == [[1]] * 4 + [[2]] * 6


def imports_of(store):
    with store._connection.cursor() as cursor:
        return [row[0] for row in cursor.execute("SELECT import_ids FROM requests").fetchall()]


def test_a_request_that_is_shown_is_the_one_that_is_stored():
    store = new_store()
    bring(store, "one", batch(*off(range(30))))
    answer = show(store, f"{3:032x}")
    held = store.query("spans", trace_id=f"{3:032x}").set_index("key")
    for span in answer["spans"]:
        assert (span["start_ns"], span["end_ns"]) == (
            held.start_ns[span["key"]],
            held.end_ns[span["key"]],
        )
    assert any("skew_corrected" in span["flags"] for span in answer["spans"])
    raw = show(store, f"{3:032x}", raw=True)
    assert not any("skew_corrected" in span["flags"] for span in raw["spans"])
