"""What a person does on the Overview: clicks, drags, links, the way back."""

import re

import pytest
from browser_app import press, settled
from playwright.sync_api import expect


def opened(page, app, query=""):
    page.goto(f"{app.url}/{query}")
    page.locator("g.sunburstlayer path").first.wait_for()
    expect(page.get_by_text("Fix first")).to_be_visible()
    settled(page)


def heading(page):
    return page.get_by_role("heading", level=2).first


def plot(page, number):
    found = page.locator(".js-plotly-plot").nth(number)
    found.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    return found.bounding_box()


def drag(page, box, low, high):
    """Drag over a chart between two places, each a share of its width and of its height."""
    page.mouse.move(box["x"] + low[0] * box["width"], box["y"] + low[1] * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + high[0] * box["width"], box["y"] + high[1] * box["height"], steps=10)
    page.mouse.up()


def test_a_slice_of_the_pie_opens_its_requests(page, app):
    opened(page, app)
    box = plot(page, 0)
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(middle[0] + 120, middle[1] + 40)
    page.wait_for_timeout(300)
    page.mouse.click(middle[0] + 120, middle[1] + 40)
    page.wait_for_url(re.compile(r"/requests\?where=longest_stage"))
    expect(heading(page)).to_contain_text("requests; the slowest took")


def test_a_group_of_the_pie_drills_into_it_and_stays_on_the_page(page, app):
    opened(page, app)
    box = plot(page, 0)
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.locator("g.sunburstlayer").first.text_content()
    page.mouse.move(middle[0] - 65, middle[1] - 25)
    page.wait_for_timeout(300)
    page.mouse.click(middle[0] - 65, middle[1] - 25)
    page.wait_for_timeout(1500)
    assert page.locator("g.sunburstlayer").first.text_content() != before
    assert "/requests" not in page.url


def test_a_ranked_bar_opens_its_requests(page, app):
    opened(page, app)
    plot(page, 1)
    bars = page.locator(".js-plotly-plot").nth(1).locator("g.barlayer g.points path")
    press(bars.first, force=True)
    page.wait_for_url(re.compile(r"/requests\?where=longest_stage.*request_queue.*e2e_ms"))


def test_a_drag_over_the_trend_narrows_the_time_and_clearing_widens_it(page, app):
    opened(page, app)
    drag(page, plot(page, 4), (0.6, 0.5), (0.8, 0.55))
    page.wait_for_url(re.compile(r"since=2026-03-12T08.*until=2026-03-12T08"))
    settled(page)
    value = page.locator("[data-testid=stMetricValue]").first
    narrowed = value.inner_text()
    assert narrowed != "480"
    page.reload()
    expect(value).to_have_text(narrowed)
    page.go_back()
    expect(page.locator("[data-testid=stMetric]").first).to_contain_text("480")


def test_a_drag_over_the_heatmap_narrows_time_and_latency(page, app):
    opened(page, app)
    drag(page, plot(page, 5), (0.6, 0.1), (0.8, 0.4))
    page.wait_for_url(re.compile(r"since=.*until=.*where=e2e_ms"))


def test_see_why_leads_to_the_ranking(page, app):
    opened(page, app)
    press(page.get_by_role("link", name="See why"))
    page.wait_for_url(re.compile(r"/fix"))


def test_filters_follow_over_pages_a_request_and_a_reload(page, app):
    page.goto(f"{app.url}/?status=ok&where=request_queue_ms+%3E+500")
    expect(page.locator("[data-testid=stMetric]").first).to_contain_text("141")
    press(page.get_by_role("link", name="Requests"))
    expect(heading(page)).to_contain_text("141 requests")
    page.wait_for_url(re.compile(r"/requests\?status=ok&where="))
    page.reload()
    expect(heading(page)).to_contain_text("141 requests")
    settled(page)
    box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    page.mouse.click(box["x"] + 150, box["y"] + 55)
    page.wait_for_url(re.compile(r"/request\?trace="))
    settled(page)
    press(page.get_by_role("link", name="Requests").first)
    expect(heading(page)).to_contain_text("141 requests")
    press(page.locator(".st-key-chip-status-ok button"))
    expect(heading(page)).to_contain_text("143 requests")


def test_the_share_menu_gives_the_link_and_the_markdown(page, app):
    opened(page, app, "?band=p99")
    press(page.locator("[data-testid=stMenuButton] button").first)
    press(page.get_by_text("Copy link"))
    expect(page.locator("[data-testid=stCode]").first).to_contain_text(f"{app.url}/?band=p99")
    page.keyboard.press("Escape")
    press(page.locator("[data-testid=stMenuButton] button").first)
    press(page.get_by_text("Copy as Markdown"))
    expect(page.locator("[data-testid=stCode]").first).to_contain_text("# Slow requests wait")


@pytest.mark.parametrize("path", ["", "requests", "stages", "sources"])
def test_nothing_is_wider_than_a_phone(page, app, path):
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{app.url}/{path}")
    settled(page)
    page.wait_for_timeout(1500)
    wide = "() => document.querySelector('[data-testid=stMain]').scrollWidth"
    assert page.evaluate(wide) <= 400


def test_a_table_has_the_columns_that_the_width_allows(page, app):
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{app.url}/requests")
    titles = page.locator("[data-testid=stDataFrame] [role=columnheader]")
    expect(titles.filter(has_text="Where the time went")).to_have_count(1)
    expect(titles.filter(has_text="Route")).to_have_count(0)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(titles.filter(has_text="Route")).to_have_count(1)
