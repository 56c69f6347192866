"""What to fix and Report under a mouse: evidence, another percentile, downloads, a phone."""

import pytest
from browser_app import press, settled
from playwright.sync_api import expect


@pytest.fixture
def ranking(app, page):
    page.goto(f"{app.url}/fix")
    expect(page.get_by_text("techniques tried on 474 requests")).to_be_visible()
    settled(page)
    return page


def heading(page):
    return page.get_by_role("heading", level=2).first


def test_the_evidence_opens_beside_the_ranking_and_leads_to_a_request(ranking):
    press(ranking.get_by_role("button", name="Evidence").first)
    dialog = ranking.get_by_role("dialog")
    for said in ("Requests that carry it", "How it was estimated", "Low", "Grade", "Sources"):
        expect(dialog).to_contain_text(said)
    press(dialog.get_by_role("link").first)
    ranking.wait_for_url("**/request?trace=**")


def test_another_percentile_ranks_again_and_stands_in_the_address(ranking, app):
    press(ranking.get_by_role("radio", name="p50"))
    expect(heading(ranking)).to_contain_text("the median")
    address = ranking.url
    ranking.goto(address)
    expect(heading(ranking)).to_contain_text("the median")


def test_what_does_not_apply_says_why(ranking):
    press(ranking.get_by_text("that do not apply, and why"))
    expect(ranking.get_by_text("Stop proxies from buffering streams")).to_be_visible()


def test_on_a_phone_nothing_is_wider_than_the_screen(ranking):
    ranking.set_viewport_size({"width": 400, "height": 800})
    settled(ranking)
    wide = ranking.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= 400


def test_every_format_of_the_report_downloads(app, page):
    page.goto(f"{app.url}/report")
    expect(page.get_by_text("contains no prompt text")).to_be_visible()
    for ending in ("html", "md", "json", "csv"):
        with page.expect_download() as caught:
            press(page.get_by_role("button", name=f"Download .{ending}"))
        assert caught.value.suggested_filename == f"slowpath-report.{ending}"
        assert caught.value.path().stat().st_size > 1_000
