"""A span name without a stage gets one on the page: the figures move, and go back again."""

import json
import re

import pytest
from browser_app import App, press, settled
from playwright.sync_api import expect

COUNT = 30


def otlp():
    """Requests whose time is mostly a span that no built-in rule knows."""
    spans = []
    for i in range(COUNT):
        start = 1_700_000_000_000_000_000 + i * 1_000_000_000
        root = f"{i + 1:016x}"
        for span, parent, name, kind, low, high in (
            (root, "", "POST /answer", 2, 0, 500),
            (f"{i + 1:015x}a", root, "crunch", 1, 50, 450),
        ):
            spans.append(
                {"traceId": f"{i + 1:032x}", "spanId": span, "parentSpanId": parent, "name": name,
                 "kind": kind, "startTimeUnixNano": str(start + low * 1_000_000),
                 "endTimeUnixNano": str(start + high * 1_000_000)}
            )  # fmt: skip
    service = [{"key": "service.name", "value": {"stringValue": "answers"}}]
    scope = [{"scope": {"name": "test"}, "spans": spans}]
    return {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": scope}]}


@pytest.fixture(scope="module")
def rules_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    path.write_text("# mine\n")
    return path


@pytest.fixture(scope="module")
def app(tmp_path_factory, rules_file):
    folder = tmp_path_factory.mktemp("ruled")
    running = App(folder, SLOWPATH_RULES=str(rules_file))
    export = folder / "answers.json"
    export.write_text(json.dumps(otlp()))
    assert running.run("import", str(export))[0] == 0
    yield running
    running.stop()


def heading(page):
    return page.get_by_role("heading", level=2).first


def stages(app):
    parts = json.loads(app.run("breakdown", "--json")[1])["stages"]
    return {part["stage"]: part["mean_ns"] for part in parts if part["mean_ns"]}


def test_a_name_finds_a_stage_and_the_answer_leads_there(page, app, rules_file):
    page.goto(app.url)
    expect(heading(page)).to_contain_text(
        "80 % of the time is unattributed".replace(" %", "\u202f%")
    )
    press(page.get_by_role("link", name="Name them"))
    expect(heading(page)).to_contain_text("its top span name holds 80")
    press(page.get_by_role("button", name="Make a rule").first)
    form = page.get_by_role("dialog")
    expect(form.get_by_role("textbox", name="Span name")).to_have_value("^crunch$")
    settled(page)
    form.get_by_role("combobox").fill("retriev")
    page.keyboard.press("Enter")
    moving = re.compile(r"30 requests · 12.0\u202fs move from Unattributed to Retrieval")
    expect(form.get_by_text(moving)).to_be_visible()
    press(form.get_by_role("button", name="Save"))
    expect(page.get_by_text("Rule crunch saved.")).to_be_visible()
    expect(heading(page)).to_contain_text("nothing is unattributed")
    assert stages(app) == {"app_logic": 100_000_000, "retrieval": 400_000_000}
    assert 'stage = "retrieval"' in rules_file.read_text()


def test_the_overview_and_the_waterfall_follow(page, app):
    page.goto(app.url)
    expect(heading(page)).to_contain_text("Retrieval takes 80")
    page.goto(f"{app.url}/request?trace={1:032x}")
    press(page.get_by_role("link", name="Rule"))
    page.wait_for_url(re.compile(r"view=rules&rule=crunch"))
    expect(page.get_by_text("12.0\u202fs · a rule of your own")).to_be_visible()


def test_a_command_beside_the_app_sees_the_rule_and_adds_its_own(app):
    listed = json.loads(app.run("rules", "--json")[1])
    assert (listed[0]["id"], listed[0]["spans"]) == ("crunch", COUNT)
    code, out, _err = app.run("rules", "add", "--service", "answers", "--stage", "tools")
    assert (code, "rule answers saved" in out) == (0, True)
    assert stages(app) == {"tools": 100_000_000, "retrieval": 400_000_000}
    assert app.run("rules", "delete", "answers")[0] == 0


def test_a_deleted_rule_gives_its_time_back(page, app, rules_file):
    page.goto(f"{app.url}/sources?view=rules")
    press(page.get_by_role("button", name="Delete"))
    form = page.get_by_role("dialog")
    expect(form.get_by_text("move from Retrieval to Unattributed")).to_be_visible()
    press(form.get_by_role("button", name="Delete the rule"))
    expect(page.get_by_text("Rule crunch deleted.")).to_be_visible()
    expect(heading(page)).to_contain_text("its top span name holds 80")
    settled(page)
    assert stages(app) == {"app_logic": 100_000_000, "unattributed": 400_000_000}
    assert rules_file.read_text().strip() == "# mine"
