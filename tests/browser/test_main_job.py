"""From an export to pie, waterfall, ranking and report, as a person does it in a browser."""

import json
import re

from browser_app import press, settled
from playwright.sync_api import expect


def heading(page):
    return page.get_by_role("heading", level=2).first


def pie_total(page):
    settled(page)
    page.locator("g.sunburstlayer text").first.wait_for()
    texts = page.locator("g.sunburstlayer text").all_text_contents()
    return next((t for t in texts if re.search(r"\d\s*(ms|s)$", t)), None)


def otlp(count):
    """OTLP of `count` chats whose time is mostly a guardrail, so that they are told apart."""
    spans = []
    for i in range(count):
        start = 1_700_000_000_000_000_000 + i * 1_000_000_000
        root = f"{i + 1:016x}"
        for span, parent, name, kind, low, high in (
            (root, "", "POST /guarded", 2, 0, 900 + i),
            (f"{i + 1:015x}a", root, "input guardrail", 1, 50, 800 + i),
        ):
            spans.append(
                {"traceId": f"{i + 1:032x}", "spanId": span, "parentSpanId": parent, "name": name,
                 "kind": kind, "startTimeUnixNano": str(start + low * 1_000_000),
                 "endTimeUnixNano": str(start + high * 1_000_000)}
            )  # fmt: skip
    service = [{"key": "service.name", "value": {"stringValue": "guarded-app"}}]
    scope = [{"scope": {"name": "test"}, "spans": spans}]
    return {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": scope}]}


def jaeger(count):
    """Jaeger's answer with `count` searches whose time is mostly retrieval."""
    traces = []
    for i in range(count):
        spans = [
            {"traceID": f"{i + 900:032x}", "spanID": f"{j + 1:016x}", "operationName": name,
             "references": [] if not j else [{"refType": "CHILD_OF", "traceID": f"{i + 900:032x}",
                                              "spanID": f"{1:016x}"}],
             "startTime": 1_700_000_100_000_000 + i * 1_000_000 + low, "duration": length,
             "tags": [], "logs": [], "processID": "p1"}
            for j, (name, low, length) in enumerate(
                [("GET /search", 0, 2_000_000 + i), ("retrieve", 100_000, 1_700_000)])
        ]  # fmt: skip
        processes = {"p1": {"serviceName": "searcher", "tags": []}}
        traces.append({"traceID": f"{i + 900:032x}", "spans": spans, "processes": processes})
    return {"data": traces, "total": 0, "limit": 0, "offset": 0, "errors": None}


def upload(page, app, tmp_path, **files):
    page.goto(f"{app.url}/sources")
    settled(page)
    paths = []
    for name, content in files.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        paths.append(str(path))
    page.set_input_files("input[type=file]", paths)


def test_the_first_start_shows_the_sample_and_says_so(page, app):
    page.goto(app.url)
    expect(page.get_by_text("Sample data")).to_be_visible()
    expect(heading(page)).to_contain_text("request queue")
    assert pie_total(page)


def test_an_upload_changes_the_pie_and_leaves_the_sample(page, app, tmp_path):
    page.goto(f"{app.url}/?band=all")
    before = pie_total(page)
    assert before
    upload(page, app, tmp_path, export_a=otlp(30), export_b=jaeger(30))
    expect(page.get_by_text("export_a.json").first).to_be_visible()
    expect(page.get_by_text("30 requests").first).to_be_visible()
    press(page.get_by_role("link", name="Overview"))
    expect(page.get_by_text("Sample data")).to_be_hidden()
    expect(page.locator("[data-testid=stMetric]").first).to_contain_text("60")
    press(page.get_by_text("All", exact=True))  # the p95 band holds two stages: bars, no pie
    after = pie_total(page)
    assert after
    assert after != before


def test_a_slow_request_opens_as_a_waterfall(page, app):
    page.goto(f"{app.url}/requests")
    settled(page)
    table = page.locator("[data-testid=stDataFrame]").first
    box = table.bounding_box()
    page.mouse.click(box["x"] + 150, box["y"] + 55)
    page.wait_for_url(re.compile(r"/request\?"))
    expect(heading(page)).to_contain_text("retrieval took 1.70")
    expect(page.locator("g.barlayer").first).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_contain_text("retrieve")


def test_a_link_reopens_the_same_view_in_a_new_browser(page, app):
    page.goto(f"{app.url}/requests?sort=newest&where=retrieval_ms+%3E+100")
    expect(heading(page)).to_contain_text("30 requests")


def test_the_ranking_opens_with_reasons(page, app):
    page.goto(f"{app.url}/fix")
    expect(page.get_by_text("techniques tried on 60 requests")).to_be_visible()
    expect(page.get_by_text("that do not apply, and why")).to_be_visible()


def test_the_report_downloads_and_reads_back(page, app, tmp_path):
    page.goto(f"{app.url}/report")
    settled(page)
    with page.expect_download() as caught:
        press(page.get_by_role("button", name="Download .html"))
    kept = tmp_path / "report.html"
    caught.value.save_as(kept)
    text = kept.read_text(encoding="utf-8")
    assert len(text.encode()) < 1_000_000
    assert "<script" not in text.lower()
    for said in ("Where the time goes", "Slowest requests", "Retrieval", "Guardrails"):
        assert said in text
    page.goto(kept.as_uri())
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_bad_files_get_one_clear_line_each_and_change_nothing(page, app, tmp_path):
    before = app.run("requests", "--json")
    upload(
        page, app, tmp_path, empty=b"", web=b"<!doctype html><html><body>Jaeger UI</body></html>",
        cut=b'{"resourceSpans": [{"resource": {', picture=b"\x89PNG\r\n\x1a\n" + bytes(40),
        deep=b"[" * 300 + b"]" * 300,
    )  # fmt: skip
    expect(page.get_by_text("Not imported.")).to_have_count(5)
    expect(page.get_by_text("web.json")).to_be_visible()
    after = app.run("requests", "--json")
    assert before[1] == after[1]
    assert after[0] == 0


def test_a_command_beside_the_app_gets_its_answer_from_the_app(app):
    code, out, _err = app.run("breakdown", "--json")
    assert code == 0
    parts = json.loads(out)
    assert parts["requests"] == 60
    assert sum(s["mean_ns"] for s in parts["stages"]) == parts["mean_ns"]
    code, _out, err = app.run("--offline", "requests")
    assert code == 1
    assert str(app.process.pid) in err
