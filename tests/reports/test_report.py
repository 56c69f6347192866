"""The one-file report stands alone, escapes everything and adds up."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from report_data import HOSTILE, finding, report_data, request

from reports.markdown import markdown
from reports.raw import as_csv, as_json, iso
from reports.report import html
from words import fmt

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """What a browser would build: tags that close in order, attributes, text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"{tag} closes out of order"

    def handle_data(self, data):
        self.text.append(data)


def parsed(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open
    return page


def hostile():
    bad = {"name": HOSTILE, "route": HOSTILE}
    return report_data(
        answer=HOSTILE, scope=HOSTILE, title=HOSTILE, notes=f"{HOSTILE}\n{HOSTILE}",
        next_step=HOSTILE, data_sets=(HOSTILE,), requests=(request(0) | bad,),
        findings=(finding(1, title=HOSTILE, because=HOSTILE),
                  finding(2, title=HOSTILE, applies=False, not_because=HOSTILE)),
    )  # fmt: skip


@pytest.mark.parametrize("data", [report_data(), hostile()], ids=["full", "hostile"])
def test_the_page_is_well_formed_and_runs_and_fetches_nothing(data):
    page = parsed(html(data))
    tags = {tag for tag, _attrs in page.seen}
    assert not tags & {"script", "link", "img", "iframe", "object", "a", "image", "use"}
    for _tag, attrs in page.seen:
        assert not any(name.startswith("on") for name in attrs)
        assert not {"src", "href", "xlink:href"} & set(attrs)
    assert "url(" not in html(data)
    assert "@import" not in html(data)


def test_hostile_text_is_shown_as_text():
    page = parsed(html(hostile()))
    assert HOSTILE in "".join(page.text)
    assert "<script" not in html(hostile())
    written = markdown(hostile())
    assert "<script" not in written.replace("\\<script", "")
    assert "[a]" not in written


def test_a_full_report_stays_small():
    data = report_data(requests=tuple(request(i % 3) for i in range(50)))
    assert len(html(data).encode()) < 1_000_000
    assert len(markdown(data).encode()) < 100_000


def test_no_prompt_text_enters_any_format():
    data = report_data()
    for text in (html(data), markdown(data), as_json(data), as_csv(data)):
        assert "secret prompt" not in text


def test_version_and_data_sets_stand_in_the_report():
    for text in (html(report_data()), markdown(report_data()), as_json(report_data())):
        assert "0.1.0" in text
        assert "Chat, production" in text


def test_the_parts_can_be_left_out():
    text = html(report_data(sections=("limits",)))
    assert "What this does not show" in text
    assert "Appendix" not in text
    assert "donut" not in re.sub(r"<style>.*?</style>", "", text, flags=re.S)


def test_an_empty_report_still_opens():
    data = report_data(
        bands={}, findings=(), plan=None, requests=(), flags=None, excluded=None, figures=()
    )
    parsed(html(data))
    assert data.answer in markdown(data)
    assert json.loads(as_json(data))["bands"] == {}


def test_every_format_has_the_same_figures():
    data = report_data()
    for text in (html(data), markdown(data)):
        for shown in ("2.10 s", "86.1 %", "31 left out", "−1.19 s (−1.43 to −0.83)"):
            plain = re.sub(r"</?(b|span)[^>]*>", "", text).replace("\u202f", " ")
            assert shown in plain


def test_the_rows_of_the_raw_formats_sum_to_the_mean():
    data = report_data()
    table = list(csv.DictReader(io.StringIO(as_csv(data))))
    content = json.loads(as_json(data))
    for band, parts in data.bands.items():
        rows = [row for row in table if row["band"] == band]
        assert sum(int(row["mean_ns"]) for row in rows) == parts.mean_ns
        assert abs(sum(float(row["share"]) for row in rows) - 1) < 1e-4
        assert sum(s["mean_ns"] for s in content["bands"][band]["stages"]) == parts.mean_ns
    assert all(sum(r["stages"].values()) == r["e2e_ns"] for r in content["requests"])


def test_the_donut_starts_at_twelve_and_closes():
    drawn = html(report_data()).partition('class="donut"')[2].partition("</svg>")[0]
    paths = re.findall(r'<path d="M([\d.]+) ([\d.]+)A146 146 0 \d 1 ([\d.]+) ([\d.]+)L', drawn)
    assert paths[0][:2] == ("150.00", "4.00")
    for before, after in pairwise(paths):
        assert before[2:] == after[:2]
    assert float(paths[-1][2]) == pytest.approx(150, abs=0.05)
    assert drawn.count("<title>") == drawn.count("<path")


def test_a_band_of_one_stage_is_a_whole_ring():
    data = report_data()
    parts = data.bands["p95"]
    whole = type(parts.stages[0])("decode", parts.mean_ns or 0, 1.0)
    alone = type(parts)(**{**vars(parts), "stages": (whole,)})
    assert "A146 146 0 1 1" in html(report_data(bands={"p95": alone}))


def test_print_is_always_light_and_colours_are_variables():
    text = html(report_data())
    style, _end, body = text.partition("</style>")
    assert "@media screen and (prefers-color-scheme:dark)" in style
    assert "print-color-adjust:exact" in style
    svgs = re.findall(r'<svg class="(?:donut|bands|saving|strip)".*?</svg>', body, flags=re.S)
    assert svgs
    assert not any(re.search(r'(fill|stroke)="#', svg) for svg in svgs)


def test_a_losing_technique_is_drawn_within_its_row():
    loss = finding(1, saving_ns={"low": -90_000_000, "typical": -5_000_000, "high": 20_000_000})
    drawn = html(report_data(findings=(loss,)))
    assert "+5.0\u202fms (−20.0 to 90.0)" in re.sub(r"</?(b|span)[^>]*>", "", drawn)
    assert 'width="-' not in drawn


def test_times_in_exports_keep_every_nanosecond():
    assert iso(1_773_304_927_318_000_001) == "2026-03-12T08:42:07.318000001Z"
    assert iso(-1) == "1969-12-31T23:59:59.999999999Z"


def test_cards_show_a_missing_figure_as_a_dash():
    from reports.data import Figure

    page = parsed(html(report_data(figures=(Figure("tpot_p95", None),))))
    assert fmt.MISSING in page.text
