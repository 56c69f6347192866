"""Every page, alone and through the navigation, on the sample and on an empty store."""

import pytest
from pages_app import NAVIGATION, alone, heading, run, said

from ui.page_list import PAGES

SCRIPTS = [page.script for page in PAGES]


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s != "request.py"])
@pytest.mark.usefixtures("sample")
def test_a_page_opens_with_its_answer_on_the_sample(script):
    assert heading(alone(script))


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.usefixtures("nothing")
def test_a_page_opens_on_an_empty_store(script):
    shown = heading(alone(script))
    assert ("export" in shown) if script != "request.py" else True


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.usefixtures("nothing")
def test_a_page_opens_through_the_navigation(script):
    tested = run(NAVIGATION)
    assert not tested.exception
    if script not in ("overview.py", "request.py"):
        tested.switch_page(f"../pages/{script}").run()
        assert not tested.exception


@pytest.mark.usefixtures("sample")
def test_the_navigation_opens_the_overview_first():
    tested = run(NAVIGATION)
    assert "request queue" in heading(tested)
    assert [metric.label for metric in tested.metric][:3] == ["Requests", "E2E p50", "E2E p95"]


@pytest.mark.usefixtures("sample")
def test_a_filter_that_leaves_nothing_offers_the_way_out():
    tested = alone("overview.py", where="e2e_ms > 99999999")
    assert "No request matches" in heading(tested)
    next(b for b in tested.button if b.label == "Clear filters").click().run()
    assert "request queue" in heading(tested)
    assert "where" not in tested.query_params


@pytest.mark.usefixtures("sample")
def test_a_value_that_is_gone_filters_to_nothing_and_its_chip_brings_it_back():
    tested = alone("overview.py", model="gone", status="ok")
    assert "No request matches" in heading(tested)
    next(b for b in tested.button if b.label == "gone").click().run()
    assert "No request matches" not in heading(tested)
    assert tested.query_params["status"] == "ok"


@pytest.mark.usefixtures("sample")
def test_a_wrong_expression_is_underlined_and_mended_by_a_click():
    tested = alone("overview.py", where="request_queue_mss > 200")
    assert len(tested.error) == 1
    lines = tested.error[0].value.splitlines()
    assert lines[2] == "request_queue_mss > 200"
    assert lines[3].startswith("^ no such column")
    next(b for b in tested.button if b.label.startswith("Use ")).click().run()
    assert not tested.error
    assert tested.query_params["where"] == "request_queue_ms > 200"


@pytest.mark.usefixtures("sample")
def test_the_period_before_stands_beside_a_limited_time():
    tested = alone("overview.py", since="2026-03-12T08:30:00Z", until="2026-03-12T08:45:00Z")
    p95 = next(metric for metric in tested.metric if metric.label == "E2E p95")
    assert p95.delta
    assert tested.metric[0].value == "126"


@pytest.mark.usefixtures("sample")
def test_tpot_keeps_the_stages_of_e2e_and_says_so():
    assert "TPOT has no stages" in said(alone("overview.py", objective="tpot"))


@pytest.mark.usefixtures("sample")
def test_requests_come_in_the_order_and_page_of_the_address():
    tested = alone("request_list.py", sort="newest", page="3")
    assert "101 to 150 of 480" in said(tested)
    assert tested.query_params["sort"] == "newest"


@pytest.mark.usefixtures("sample")
def test_a_page_beyond_the_last_falls_back_to_the_first():
    tested = alone("request_list.py", page="99")
    assert "1 to 50 of 480" in said(tested)
    assert "page" not in tested.query_params


@pytest.mark.usefixtures("nothing")
def test_the_start_page_opens_the_sample():
    tested = alone("overview.py")
    next(b for b in tested.button if b.label == "Open the sample").click().run()
    assert "request queue" in heading(tested)
