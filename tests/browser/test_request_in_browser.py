"""The Request page under a mouse: choosing, folding, searching, walking, taking along."""

import json
import time

import pytest
from browser_app import press, settled
from playwright.sync_api import expect
from wide_trace import TRACE, wide_trace


@pytest.fixture(scope="module")
def slowest(app):
    done = app.run("requests", "--slowest", "1", "--json")
    return json.loads(done[1])[0]["trace_id"]


@pytest.fixture
def opened(app, page, slowest):
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.goto(f"{app.url}/request?trace={slowest}")
    expect(row(page, "llm_request")).to_be_visible()
    settled(page)
    return page


def row(page, name):
    return page.locator(".js-plotly-plot .scatterlayer text").filter(has_text=name).first


def still(page, name):
    """Where a row stands once the page has run and the chart no longer moves."""
    settled(page)
    before, now = None, row(page, name).bounding_box()
    while now is None or now != before:
        page.wait_for_timeout(250)
        settled(page)
        before, now = now, row(page, name).bounding_box()
    return now


def click(page, name, dx=30, at=None):
    box = still(page, name)
    page.mouse.click(at or box["x"] + dx, box["y"] + box["height"] / 2)


def card(page):
    return page.locator("[data-testid=stColumn]").nth(1)


def test_a_click_on_a_name_or_beside_a_bar_chooses_the_span(opened):
    click(opened, "guardrails.request")
    expect(card(opened)).to_contain_text("Rule nemo_guardrails")
    click(opened, "query_points", at=500)
    expect(card(opened)).to_contain_text("query_points handbook")
    assert "span=" in opened.url


def test_a_mark_folds_and_opens_and_a_run_opens_by_its_row(opened):
    click(opened, "retrieval handbook", dx=-6)
    expect(row(opened, "embeddings")).to_have_count(0)
    click(opened, "retrieval handbook", dx=-6)
    expect(row(opened, "embeddings")).to_be_visible()
    click(opened, "6 × GET doc")
    expect(opened.locator(".scatterlayer text").filter(has_text="GET doc")).to_have_count(7)


def test_a_model_call_shows_its_cut(opened):
    click(opened, "llm_request")
    for said in ("Segment", "Mark", "Request queue", "reported", "per token"):
        expect(card(opened)).to_contain_text(said)


def test_faster_walks_by_key_and_the_title_follows(opened, slowest):
    opened.keyboard.press("k")
    expect(opened).not_to_have_url(f"trace={slowest}")
    opened.wait_for_function("document.title.includes('15.3')")


def test_the_menu_gives_a_file_that_imports(opened, app, tmp_path):
    press(opened.get_by_test_id("stPopoverButton").filter(has_text="more_horiz").first)
    expect(opened.get_by_text("Copy link to this request")).to_be_visible()
    with opened.expect_download() as caught:
        press(opened.get_by_text("Download as OTLP/JSON").last)
    kept = tmp_path / "trace.json"
    caught.value.save_as(kept)
    spans = json.loads(kept.read_text(encoding="utf-8"))["resourceSpans"]
    assert sum(len(s["spans"]) for r in spans for s in r["scopeSpans"]) == 38


def test_an_address_with_a_span_opens_on_it(app, page, slowest):
    page.goto(f"{app.url}/request?trace={slowest}&which=path")
    expect(page.get_by_role("heading", level=2).first).to_contain_text("cold start")
    expect(page.get_by_role("radio", name="On the path")).to_be_checked()


def test_five_thousand_spans_stay_usable(app, page, tmp_path):
    path = tmp_path / "wide.json"
    path.write_text(json.dumps(wide_trace()), encoding="utf-8")
    assert app.run("import", str(path))[0] == 0
    begun = time.monotonic()
    page.goto(f"{app.url}/request?trace={TRACE}")
    expect(row(page, "POST /agent")).to_be_visible()
    assert time.monotonic() - begun < 30
    rows = page.locator(".scatterlayer text").filter(has_text="agent")
    assert rows.count() <= 400
    settled(page)
    page.get_by_placeholder("Find a span").fill("leaf 4990")
    page.keyboard.press("Enter")
    expect(row(page, "leaf 4990")).to_be_visible()
    assert not page.get_by_test_id("stException").count()
