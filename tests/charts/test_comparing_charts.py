"""Charts of estimates show their intervals, grey what could be chance, and add up."""

import numpy as np
import pytest
from chart_rows import MS, START

from charts.apart import apart
from charts.change_by_stage import certain, change_by_stage
from charts.distribution import distribution
from charts.multiples import Panel, multiples
from charts.plan import plan
from charts.shipped import shipped, verdict
from charts.theme import LIGHT, theme
from charts.token_scatter import MOST, Line, sampled, token_scatter

HOUR = 3_600_000_000_000
SHAPES = pytest.mark.parametrize(
    ("dark", "narrow"), [(False, False), (True, False), (False, True), (True, True)]
)


def change(stage, a, b, low, high):
    return {"stage": stage, "a_ns": a * MS, "b_ns": b * MS, "change_ns": (b - a) * MS,
            "low_ns": low * MS, "high_ns": high * MS}  # fmt: skip


def ends(low, typical, high):
    return {"low": low * MS, "typical": typical * MS, "high": high * MS}


CHANGES = [change("request_queue", 88, 970, 740, 1040), change("decode", 1340, 1320, -74, 39),
           change("prefill", 400, 300, -140, -60)]  # fmt: skip
STEPS = [{"title": "<b>Cap</b>", "stage": "request_queue", "saving_ns": ends(830, 1190, 1420)},
         {"title": "Slower", "stage": "decode", "saving_ns": ends(-200, -100, 50)}]  # fmt: skip
SHIPPED = [
    {"label": "E2E p50", "before_ns": 2100 * MS, "predicted": ends(2000, 2060, 2120),
     "measured": ends(2010, 2050, 2090)},
    {"label": "E2E p99", "before_ns": 11200 * MS, "predicted": ends(8200, 8900, 9500),
     "measured": ends(9600, 10100, 10800)},
    {"label": "TTFT p95", "before_ns": 3000 * MS, "predicted": ends(2000, 2100, 2200),
     "measured": ends(1500, 1600, 1700)},
]  # fmt: skip
VALUES = [
    {"label": "pod = <i>vllm-3</i>", "share": 0.61, "rest_share": 0.22, "extra_ns": 1420 * MS,
     "low_ns": 1190 * MS, "high_ns": 1660 * MS, "stage": "request_queue"},
    {"label": "region = eu", "share": 0.24, "rest_share": 0.21, "extra_ns": 18 * MS,
     "low_ns": -20 * MS, "high_ns": 60 * MS, "stage": "client_network"},
]  # fmt: skip
PANELS = [Panel("Waiting", tuple((START + i * HOUR, float(i)) for i in range(5)), "4"),
          Panel("KV <b>cache</b>", ((START, 0.5), (START + HOUR, None), (START + 2 * HOUR, 0.9)),
                "90 %", "kv_transfer")]  # fmt: skip
X = np.arange(1, 301)
Y = X * 30.0 * MS


def drawn(**mode):
    fit = Line(5e6, 30e6, "fit", ((0, 0), (300, 8.9e9)), ((0, 9e6), (300, 9.1e9)))
    return [
        change_by_stage(CHANGES, **mode), plan(STEPS, 6_400 * MS, 4_000 * MS, **mode),
        shipped(SHIPPED, **mode), apart(VALUES, **mode),
        distribution([1 * MS, 2 * MS], [1 * MS, 3 * MS], ("today", "changed"), **mode),
        token_scatter(X, Y, "output tokens", "decode", fit, Line(0, 20e6, "floor"), **mode),
        multiples(PANELS, START, START + 5 * HOUR, marks=[(START, "<b>v2</b>")],
                  request_ns=START + HOUR, **mode),
    ]  # fmt: skip


@SHAPES
def test_each_comparing_chart_is_the_same_on_every_run(dark, narrow):
    mode = {"dark": dark, "narrow": narrow}
    first = [fig.to_json() for fig in drawn(**mode)]
    assert first == [fig.to_json() for fig in drawn(**mode)]
    assert all("showlegend" in text for text in first)


@SHAPES
def test_names_of_users_stay_text(dark, narrow):
    texts = "".join(str(fig.to_dict()) for fig in drawn(dark=dark, narrow=narrow))
    for tag in ("<b>Cap", "<i>vllm", "<b>cache", "<b>v2"):
        assert tag not in texts.replace("&lt;", "")


def test_a_change_has_colour_only_beyond_chance():
    assert [certain(row) for row in CHANGES] == [True, False, True]
    bar = change_by_stage(CHANGES).data[0]
    expected = (LIGHT.stage("request_queue"), LIGHT.faint, LIGHT.stage("prefill"))
    assert bar.marker.color == expected
    assert [bar.x[0] + bar.error_x.array[0], bar.x[0] - bar.error_x.arrayminus[0]] == [
        1040 * MS, 740 * MS]  # fmt: skip


def test_narrow_changes_drop_the_sides():
    texts = [note.text for note in change_by_stage(CHANGES, narrow=True).layout.annotations]
    assert len(texts) == 3
    assert not any("→" in text for text in texts)


def test_a_plan_steps_from_today_to_the_end():
    bar = plan(STEPS, 6_400 * MS).data[0]
    assert list(bar.base) == [6_400 * MS, 6_400 * MS, 5_310 * MS, 5_310 * MS]
    assert bar.x[0] == -6_400 * MS
    assert bar.x[-1] == -5_310 * MS
    texts = [note.text for note in plan(STEPS, 6_400 * MS).layout.annotations]
    assert texts == ["<b>6.40\u202fs</b>", "<b>−1.19\u202fs</b>", "<b>+100\u202fms</b>",
                     "<b>5.31\u202fs</b>"]  # fmt: skip


def test_what_was_shipped_is_judged_by_its_intervals():
    words = [verdict(row, theme(False))[0] for row in SHIPPED]
    assert words == ["as predicted", "<b>1.20\u202fs short</b>", "more than predicted"]


def test_values_that_could_be_chance_are_grey():
    slow = apart(VALUES).data[1]
    assert slow.marker.color == (LIGHT.stage("request_queue"), LIGHT.faint)
    assert list(slow.x) == [0.61, 0.24]


def test_a_distribution_shows_shares_of_each_side():
    fig = distribution([MS] * 3 + [9 * MS], [MS, 2 * MS], ("today", "changed"))
    assert [sum(trace.y) for trace in fig.data] == pytest.approx([1, 1])


def test_the_scatter_draws_a_seeded_sample_and_counts_what_it_cuts():
    assert len(sampled(MOST + 1)) == MOST
    assert (sampled(20_000) == sampled(20_000)).all()
    values = Y.copy()
    values[0] = 1e12
    fig = token_scatter(X, values, "tokens", "decode")
    assert len(fig.data[0].x) == 300
    assert any("above" in note.text for note in fig.layout.annotations)


def test_a_gap_in_a_metric_stays_a_gap():
    fig = multiples(PANELS, START, START + 5 * HOUR)
    assert fig.data[1].connectgaps is False
    assert fig.data[1].y[1] is None
    assert len(fig.data) == 2
