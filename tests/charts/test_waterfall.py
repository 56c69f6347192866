"""A waterfall draws exactly the path it is given, folds what repeats, and stays usable."""

import random
import time
from itertools import pairwise

import pytest
from chart_rows import MS, request, segment, span

from charts.theme import DARK, LIGHT
from charts.waterfall.columns import columns
from charts.waterfall.drawing import key_of_marks, waterfall, window_text
from charts.waterfall.marks import token_ticks
from charts.waterfall.minimap import minimap
from charts.waterfall.reveal import reveal
from charts.waterfall.rows import waterfall_rows
from charts.waterfall.span import mapping, remaining

SHAPES = pytest.mark.parametrize(
    ("dark", "narrow"), [(False, False), (True, False), (False, True), (True, True)]
)


def rows_of(**options):
    made = request()
    return waterfall_rows(made["spans"], made["segments"], calls=made["calls"], **options)


def drawn(fig, name):
    return next(trace for trace in fig.data if trace.name == name)


def by_key(rows):
    return {row.key: row for row in rows.rows}


@pytest.mark.parametrize("on_path_only", [False, True])
@pytest.mark.parametrize("collapsed", [frozenset(), {"root"}, {"try1", "try2"}, {"fold:read0"}])
def test_the_rows_hold_every_nanosecond_of_the_path_once(on_path_only, collapsed):
    rows = rows_of(on_path_only=on_path_only, collapsed=collapsed)
    parts = sorted((a, b) for row in rows.rows for _stage, a, b in row.path)
    assert parts[0][0] == 0
    assert parts[-1][1] == rows.e2e_ns == 1000 * MS
    assert all(before[1] == after[0] for before, after in pairwise(parts))


@SHAPES
def test_the_drawn_path_sums_to_the_request(dark, narrow):
    fig = waterfall(rows_of(), 500 * MS, "try2", dark, narrow)
    path = drawn(fig, "path")
    assert sum(path.x) == pytest.approx(1000)
    assert set(path.marker.color) <= set((DARK if dark else LIGHT).stages.values())
    assert fig.to_json() == waterfall(rows_of(), 500 * MS, "try2", dark, narrow).to_json()


def test_equal_siblings_fold_and_open_again():
    folded = rows_of()
    fold = by_key(folded)["fold:read0"]
    assert (fold.state, len(fold.lengths), fold.end - fold.start) == ("closed", 6, 15 * MS)
    assert "read3" not in by_key(folded)
    opened = rows_of(collapsed={"fold:read0"})
    assert by_key(opened)["read3"].depth == by_key(opened)["fold:read0"].depth + 1
    assert "6 × GET doc" in "".join(drawn(waterfall(folded), "names").text)


def test_only_the_path_opens_folds_that_are_on_it():
    rows = rows_of(on_path_only=True)
    keys = [row.key for row in rows.rows]
    assert "read0" in keys
    assert "read5" in keys
    assert not {"side", "audit", "open", "read3"} & set(keys)


def test_a_search_keeps_matches_and_what_is_above_them():
    rows = rows_of(query="SIDE")
    assert [row.key for row in rows.rows] == ["root", "side"]
    assert rows.matches == 1
    assert rows_of().matches is None
    assert rows_of(query="nothing like it").rows == ()


def test_a_search_reads_attributes_too():
    made = request()
    made["spans"][3]["attributes"] = {"http.route": "/needle"}
    assert waterfall_rows(made["spans"], made["segments"], query="needle").matches == 1


def test_own_time_off_the_path_is_what_children_and_path_leave():
    rows = by_key(rows_of())
    assert rows["side"].own == (("datastore", 310 * MS, 360 * MS),)
    assert rows["guard"].own == ()
    assert rows["try2"].own == ()
    cut = remaining([("a", 0, 10), ("b", 10, 20)], [(12, 15), (-5, 2), (4, 12)])
    assert cut == [("a", 2, 4), ("b", 15, 20)]


def test_failed_async_moved_and_bound_rows_are_marked():
    rows = by_key(rows_of())
    assert [key for key, row in rows.items() if row.failed] == ["try1"]
    assert [key for key, row in rows.items() if row.asynchronous] == ["audit"]
    assert rows["guard"].moved == 38 * MS
    assert rows["open"].bound
    fig = waterfall(rows_of())
    path = drawn(fig, "path")
    shapes = zip(path.customdata, path.marker.pattern.shape, strict=True)
    crossed = {row[0] for row, shape in shapes if shape == "x"}
    assert crossed == {"try1"}
    assert [row[0] for row in drawn(fig, "asynchronous").customdata] == ["audit"]
    assert [row[0] for row in drawn(fig, "fades").customdata] == ["open", "open"]
    assert any("≥" in text for text in drawn(fig, "lengths").text)
    assert any("moved +38" in text for text in drawn(fig, "moved").text)


def test_the_view_reaches_to_the_last_span_and_marks_the_end():
    rows = rows_of()
    assert rows.view_ns == 1200 * MS
    notes = [note.text for note in waterfall(rows, 500 * MS).layout.annotations]
    assert notes == ["<b>TTFT 500\u202fms</b>", "<b>E2E 1.00\u202fs</b>"]
    assert len(waterfall(rows, None).layout.annotations) == 1


def test_the_first_token_is_a_diamond_and_tokens_are_ticks_six_pixels_apart():
    rows = rows_of()
    fig = waterfall(rows)
    assert list(drawn(fig, "first_tokens").x) == [500.0]
    row = by_key(rows)["try2"]
    assert row.tokens == (500 * MS, 900 * MS, 21)
    wide = token_ticks(row, rows.view_ns, 530)
    assert len(wide) == 21
    assert wide[-1] == 900 * MS
    dense = token_ticks(row, rows.view_ns, 200)
    gaps = [(b - a) * 200 / rows.view_ns for a, b in pairwise(dense)]
    assert min(gaps) >= 6


def test_recorded_tokens_are_ticked_where_they_came_and_never_nearer_than_six_pixels():
    made = request()
    call = next(call for call in made["calls"] if call["key"] == "try2")
    call["token_offsets_ns"] = [0, 10 * MS, 11 * MS, 300 * MS]
    rows = waterfall_rows(made["spans"], made["segments"], calls=made["calls"])
    row = by_key(rows)["try2"]
    start = row.first_token - call["first_token_ns"]
    assert list(row.instants) == [start + at for at in call["token_offsets_ns"]]
    wide = token_ticks(row, rows.view_ns, 1_000)
    assert list(wide) == [row.instants[0], row.instants[1], row.instants[3]]
    assert "when they came" in key_of_marks(rows)


def test_raw_times_show_the_recorded_spell_and_who_sticks_out():
    made = request()
    made["spans"][5]["raw_start_ns"] -= 950 * MS
    made["spans"][5]["raw_end_ns"] -= 950 * MS
    rows = waterfall_rows(made["spans"], made["segments"], raw_times=True)
    guard = by_key(rows)["guard"]
    assert guard.start == -40 * MS
    assert guard.path == (("guardrails", -40 * MS, -10 * MS),)
    assert guard.overrun
    assert guard.moved is None


def test_names_cannot_become_markup_or_templates():
    fig = waterfall(rows_of(), None, "side")
    names = "".join(drawn(fig, "names").text)
    hovers = "".join(str(row[1]) for trace in fig.data for row in trace.customdata or ())
    text = names + hovers
    assert "<b><b>side" not in text
    assert "%{x}" not in text
    assert "&lt;b&gt;side&lt;/b&gt;" in text


def test_deep_spans_are_folded_until_asked_for():
    chain = [span("n0", None, 0, 100)]
    chain += [span(f"n{i}", f"n{i - 1}", 0, 100 - i) for i in range(1, 40)]
    path = [segment("n39", "tools", 0, 100)]
    rows = waterfall_rows(chain, path)
    assert len(rows.rows) == 13
    assert rows.rows[-1].state == "closed"
    assert rows.rows[-1].path == (("tools", 0, 100 * MS),)
    assert len(waterfall_rows(chain, path, on_path_only=True).rows) == 40


def big_trace():
    rng, spans, segments = random.Random(5), [span("r", None, 0, 60_000)], []
    for i in range(5_000):
        parent = "r" if i % 40 == 0 else f"s{i - i % 40}"
        start = (i // 40) * 470 + (i % 40) * 11
        end = start + (460 if i % 40 == 0 else 10)
        spans.append(span(f"s{i}", parent, start, end, name=f"op {i % 7}"))
        segments.append(segment(f"s{i}", "tools", start, start + 1))
    rng.shuffle(spans)
    return spans, segments


def test_five_thousand_spans_send_four_hundred_rows_and_say_so():
    spans, segments = big_trace()
    begun = time.perf_counter()
    rows = waterfall_rows(spans, segments, first=1_000)
    fig = waterfall(rows)
    assert time.perf_counter() - begun < 10
    assert (rows.total, len(rows.rows), rows.first) == (5_001, 400, 1_000)
    assert window_text(rows) == "rows 1,001 to 1,400 of 5,001"
    assert len(fig.to_json()) < 2_000_000
    assert waterfall_rows(spans, segments, first=9_999).first == 4_601
    assert len(drawn(fig, "hulls").x) == 400


def test_the_minimap_shows_the_whole_path_and_the_window():
    spans, segments = big_trace()
    rows = waterfall_rows(spans, segments, first=1_000)
    fig = minimap(rows)
    assert fig is not None
    assert fig.layout.height == 40
    assert fig.layout.shapes[0].y0 == 999.5
    assert sum(len(trace.x) for trace in fig.data) == 3 * len(segments)
    assert minimap(rows_of()) is None


def test_rows_do_not_depend_on_the_order_of_the_spans():
    made = request()
    shown = waterfall_rows(made["spans"], made["segments"])
    assert waterfall_rows(made["spans"][::-1], made["segments"][::-1]).rows == shown.rows


def test_flags_and_pieces_may_come_as_text():
    assert mapping('{"incomplete": null}') == {"incomplete": None}
    assert mapping(["a"]) == {"a": None}
    assert mapping("") == {}


def test_nothing_to_draw_is_an_empty_figure():
    rows = waterfall_rows([], [])
    assert rows.rows == ()
    assert waterfall(rows).layout.height > 0
    assert window_text(rows) == ""
    assert "thick" in key_of_marks(rows_of())
    assert "evenly spaced" in key_of_marks(rows_of())


def test_a_parent_that_never_arrived_is_told_from_a_span_without_a_name():
    spans = [span("missing/1", None, 0, 9, name=""), span("b", "missing/1", 1, 8, name="")]
    names = drawn(waterfall(waterfall_rows(spans, [])), "names").text
    assert ["(never arrived)" in names[0], "(no name)" in names[1]] == [True, True]


def test_what_hides_a_span_is_opened_and_the_window_moved_to_it():
    made = request()
    flipped, _first = reveal(made["spans"], frozenset(), "read3")
    assert "read3" in by_key(waterfall_rows(made["spans"], made["segments"], flipped))
    spans, segments = big_trace()
    flipped, first = reveal(spans, frozenset(), "s4900")
    assert "s4900" in by_key(waterfall_rows(spans, segments, flipped, first=first))
    assert reveal(spans, frozenset({"x"}), "nowhere", 7) == (frozenset({"x"}), 7)


def test_a_click_anywhere_in_a_row_hits_it_and_a_mark_only_folds():
    fig = waterfall(rows_of())
    hit = [trace for trace in fig.data if trace.name == "targets"]
    assert [len(trace.y) for trace in hit] == [len(rows_of().rows)] * 2
    folds = [row[0] for row in drawn(fig, "folds").customdata]
    assert "toggle:root" in folds
    assert "toggle:guard" not in folds


def test_deep_trees_are_indented_less_and_lines_that_touch_are_stacked():
    chain = [span("n0", None, 0, 100)]
    chain += [span(f"n{i}", f"n{i - 1}", 0, 100 - i, name="a long name" * 3) for i in range(1, 12)]
    rows = waterfall_rows(chain, [])
    assert columns(rows.rows, narrow=False).letters(11) >= 22
    heights = [note.yshift for note in waterfall(rows, 98 * MS, narrow=True).layout.annotations]
    assert heights[0] > heights[1]
