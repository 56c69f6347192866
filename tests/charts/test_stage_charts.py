"""Pies, bars and bands show every nanosecond they are given, in the order that was agreed."""

import numpy as np
import pandas as pd
import pytest
from chart_rows import MS, P50, P95, START, slices

from analysis.stages import GROUP_OF, STAGES
from charts.bands import bands
from charts.bars_html import legend, saving_bar
from charts.frame import escaped, nice_step
from charts.heatmap import heatmap, heatmap_rows, latency_bins
from charts.histogram import histogram
from charts.over_time import over_time
from charts.pie import drawable, pie
from charts.ranked_bars import ranked_bars
from charts.strip import strip
from charts.tail_adds import tail_adds
from charts.theme import LIGHT
from charts.time_axis import bin_ns, time_axis
from charts.usual import unusual, usual

SHAPES = pytest.mark.parametrize(
    ("dark", "narrow"), [(False, False), (True, False), (False, True), (True, True)]
)
HOUR = 3_600_000_000_000
TREND = pd.DataFrame(
    {"bin_ns": [START + i * HOUR for i in (0, 1, 3)], "n": [5, 6, 7],
     "decode_ns": [5.0 * MS, 6.0 * MS, 7.0 * MS], "request_queue_ns": [1.0 * MS, 2.0 * MS, 0.0]}
)  # fmt: skip
RNG = np.random.default_rng(3)
MANY = pd.DataFrame(
    {"start_ns": START + RNG.integers(0, 6 * HOUR, 400),
     "e2e_ns": np.exp(RNG.normal(21, 0.7, 400)).astype("int64")}
)  # fmt: skip
USUAL = [
    {"stage": "decode", "value_ns": 900 * MS, "p5_ns": 100 * MS, "p50_ns": 300 * MS,
     "p95_ns": 500 * MS},
    {"stage": "tools", "value_ns": 10 * MS, "p5_ns": 0, "p50_ns": 0, "p95_ns": 20 * MS},
]  # fmt: skip


def drawn(dark: bool, narrow: bool):
    mode = {"dark": dark, "narrow": narrow}
    means = {"p50": P50, "p95": P95}
    return [
        pie(slices(P95), sum(P95.values()), **mode), ranked_bars(slices(P95), **mode),
        bands(means, **mode), bands(means, in_shares=True, **mode), tail_adds(P50, P95, **mode),
        over_time(TREND, tz="Asia/Shanghai", marks=[(START, "<i>deploy</i>")], **mode),
        heatmap(MANY, "e2e", 2_000 * MS, **mode), usual(USUAL, **mode),
        histogram(MANY["e2e_ns"], 2_000 * MS, 1_300 * MS, 4_000 * MS, **mode),
    ]  # fmt: skip


@SHAPES
def test_a_figure_is_the_same_on_every_run(dark, narrow):
    for first, second in zip(drawn(dark, narrow), drawn(dark, narrow), strict=True):
        assert first.to_json() == second.to_json()


@SHAPES
def test_figures_are_fixed_transparent_and_without_legend(dark, narrow):
    for fig in drawn(dark, narrow):
        layout = fig.to_dict()["layout"]
        assert layout["height"] > 0
        assert layout["showlegend"] is False
        assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
        axes = [axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))]
        assert all(axis["fixedrange"] for axis in axes)


def test_the_pie_adds_up_ring_by_ring():
    fig = pie(slices(P95), sum(P95.values())).data[0]
    parents = dict(zip(fig.ids, fig.parents, strict=True))
    values = dict(zip(fig.ids, fig.values, strict=True))
    assert len(set(fig.ids)) == len(fig.ids)
    for parent in set(fig.parents) - {""}:
        children = [values[name] for name in fig.ids if parents[name] == parent]
        assert sum(children) == values[parent]
    assert values["all"] == sum(P95.values())
    assert {"g:unattributed", "unattributed"} <= set(fig.ids)


def test_small_stages_of_a_group_fold_into_one_slice_that_lists_them():
    fig = pie(slices(P95), sum(P95.values())).data[0]
    hover = {row[0]: row[1] for row in fig.customdata}
    assert "tools" not in fig.ids
    assert "Tools" in hover["rest:application"]
    assert "App logic" in hover["rest:application"]


def test_the_largest_group_comes_last_so_that_it_starts_at_twelve():
    fig = pie(slices(P95), sum(P95.values())).data[0]
    groups = [v for i, v in zip(fig.ids, fig.values, strict=True) if i.startswith("g:")]
    assert groups == sorted(groups)


def test_a_pie_is_drawn_only_where_it_says_more_than_bars():
    assert drawable(slices(P95))
    assert not drawable(slices({"decode": 5, "prefill": 5, "tools": 0}))
    assert not drawable(slices({"decode": 980, "prefill": 10, "tools": 10}))
    assert not drawable([])


def test_the_bars_rank_twelve_stages_and_fold_the_rest_without_loss():
    bar = ranked_bars(slices(P95)).data[0]
    assert len(bar.x) == 13
    assert list(bar.x[:12]) == sorted(bar.x[:12], reverse=True)
    assert sum(bar.x) == sum(P95.values())
    assert [row[0] for row in bar.customdata][:2] == ["decode", "request_queue"]
    assert bar.customdata[12][0] == ""
    assert "CDN edge" in bar.customdata[12][1]
    assert "4 more stages" in ranked_bars(slices(P95)).layout.yaxis.ticktext[12]


def test_one_stage_too_many_is_shown_rather_than_folded():
    thirteen = dict(list(P95.items())[:13])
    assert "" not in [row[0] for row in ranked_bars(slices(thirteen)).data[0].customdata]


@pytest.mark.parametrize("in_shares", [False, True])
def test_bands_stack_stages_in_product_order_to_their_total(in_shares):
    fig = bands({"p50": P50, "p95": P95}, in_shares=in_shares)
    stages = [trace.customdata[0][0] for trace in fig.data]
    assert stages == [stage for stage in STAGES if P95.get(stage) or P50.get(stage)]
    totals = [sum(trace.x[i] for trace in fig.data) for i in range(2)]
    expected = [1.0, 1.0] if in_shares else [sum(P50.values()), sum(P95.values())]
    assert totals == pytest.approx(expected)
    notes = [note.text for note in fig.layout.annotations]
    assert notes == ["<b>2.33\u202fs</b>", "<b>6.21\u202fs</b>"]


def test_what_the_tail_adds_is_the_difference_and_keeps_its_sign():
    bar = tail_adds(P50, P95, most=40).data[0]
    changes = {row[0]: x for row, x in zip(bar.customdata, bar.x, strict=True)}
    assert changes["request_queue"] == 1778 * MS
    assert changes["tools"] == -70 * MS
    assert sum(bar.x) == sum(P95.values()) - sum(P50.values())
    assert [abs(x) for x in bar.x] == sorted((abs(x) for x in bar.x), reverse=True)
    folded = tail_adds(P50, P95, most=5).data[0]
    assert sum(folded.x) == sum(bar.x)


def test_narrow_bars_leave_the_shares_to_the_hover():
    assert "→" not in tail_adds(P50, P95, narrow=True).data[0].text[0]
    assert "→" in tail_adds(P50, P95).data[0].text[0]


def test_the_trend_stacks_groups_and_leaves_empty_bins_empty():
    fig = over_time(TREND)
    bars = {trace.name: trace for trace in fig.data if trace.type == "bar"}
    assert set(bars) == {"Scheduling", "Inference"}
    assert len(bars["Inference"].x) == 3
    assert bars["Inference"].customdata[0][1] == START
    assert fig.layout.dragmode == "select"


def test_marks_of_the_trend_are_escaped():
    fig = over_time(TREND, marks=[(START, "<i>deploy</i>")])
    assert fig.layout.annotations[0].text == "&lt;i&gt;deploy&lt;/i&gt;"


def test_the_heatmap_counts_every_request_once():
    fig = heatmap(MANY, "e2e", 2_000 * MS)
    cells = np.array(fig.data[0].z, dtype=float)
    assert np.nansum(cells) == len(MANY)
    assert not (cells == 0).any()
    assert cells.shape[0] == 14
    assert cells.shape[1] <= 97


def test_the_heatmaps_table_holds_its_cells():
    fig, rows = heatmap(MANY), heatmap_rows(MANY)
    cells = np.array(fig.data[0].z, dtype=float)
    assert len(rows) == np.count_nonzero(~np.isnan(cells))
    assert sum(n for _at, _said, n in rows) == len(MANY) == np.nansum(cells)
    assert rows == sorted(rows, key=lambda row: row[0])
    assert min(at for at, _said, _n in rows) <= MANY["start_ns"].min()


def test_bars_of_groups_bear_their_names():
    fig = bands({"0": {"decode": 5 * MS}, "1": {"decode": 2 * MS}}, names=["a<b>", "(not said)"])
    assert [text.strip() for text in fig.layout.yaxis.ticktext] == ["a&lt;b&gt;", "(not said)"]


def test_a_drag_over_the_heatmap_can_be_read_back():
    bins = latency_bins(MANY)
    assert bins.edge(0) == pytest.approx(MANY["e2e_ns"].min(), rel=1e-9)
    assert bins.edge(14) == pytest.approx(MANY["e2e_ns"].max(), rel=1e-9)
    assert bins.position(bins.edge(3.5)) == pytest.approx(3.5, abs=1e-6)


def test_the_histogram_parts_at_the_slo():
    fig = histogram(MANY["e2e_ns"], 2_000 * MS)
    bar = fig.data[0]
    assert sum(bar.y) == len(MANY)
    within = sum(n for n, c in zip(bar.y, bar.marker.color, strict=True) if c == LIGHT.faint)
    assert within == (MANY["e2e_ns"] <= 2_000 * MS).sum()


def test_labels_that_would_touch_are_dropped_and_the_slo_stays():
    fig = histogram(MANY["e2e_ns"], 2_000 * MS, 1_900 * MS, 2_100 * MS)
    assert [a.text for a in fig.layout.annotations if a.text] == ["SLO 2\u202fs"]


@pytest.mark.parametrize("values", [[], [5 * MS], [5 * MS] * 3])
def test_few_or_equal_lengths_still_make_a_histogram_and_a_heatmap(values):
    frame = pd.DataFrame({"start_ns": [START] * len(values), "e2e_ns": values}, dtype="int64")
    assert sum(histogram(values).data[0].y) == len(values)
    assert np.nansum(np.array(heatmap(frame).data[0].z, dtype=float)) == len(values)


def test_the_usual_is_called_unusual_only_clearly_beyond_p95():
    assert unusual(USUAL[0])
    assert not unusual({**USUAL[0], "value_ns": 520 * MS})
    ratios = [note.text for note in usual(USUAL).layout.annotations]
    assert "3.0×" in ratios[0]
    assert ratios[0].startswith("<b>")
    assert "+10\u202fms" in ratios[1]


def test_the_strip_is_as_wide_as_its_stages():
    from urllib.parse import unquote

    uri = unquote(strip({"decode": 3, "request_queue": 1, "tools": 0}))
    assert uri.startswith("data:image/svg+xml,")
    assert uri.count("<rect") == 2
    assert f'width="49.50" height="14" fill="{LIGHT.stage("request_queue")}"' in uri


def test_the_legend_opens_the_harness_into_its_parts():
    text = legend(slices(P95))
    assert text.index("Inference") < text.index("Harness") < text.index("Scheduling")
    assert sum(GROUP_OF[s] == "access" for s in P95) == 2
    assert "Access" in text


def test_a_savings_bar_stays_in_its_box():
    import re

    text = saving_bar(-50, 100, 500, 200, "decode")
    assert all(0 <= float(x) <= 100 for x in re.findall(r"([\d.]+)%", text))
    assert 'role="img"' in text
    assert saving_bar(0, 0, 0, 0, "decode")


@pytest.mark.parametrize(
    ("span_ns", "bins"), [(12 * HOUR, 48), (HOUR // 60, 30), (400 * 24 * HOUR, 58)]
)
def test_time_bins_are_round_and_few(span_ns, bins):
    assert span_ns / bin_ns(span_ns) <= max(48, bins)


def test_a_clock_axis_has_its_ticks_on_the_viewers_hours():
    axis = time_axis(LIGHT, START, START + 12 * HOUR, "Asia/Kolkata")
    assert all(tick.minute == 0 for tick in axis["tickvals"])
    assert 4 <= len(axis["tickvals"]) <= 8
    days = time_axis(LIGHT, START, START + 96 * HOUR, "Asia/Kolkata")
    assert days["ticktext"][0] == "13 Mar"


def test_steps_are_one_two_or_five():
    assert nice_step(7, 7) == 1
    assert nice_step(6_400, 6) == 2_000
    assert nice_step(0, 5) == 1


def test_user_text_is_one_line_without_tags_or_templates():
    assert escaped("<b>x</b>\n%{y}") == "&lt;b&gt;x&lt;/b&gt; %\u200b{y}"
    assert len(escaped("x" * 500)) == 200
