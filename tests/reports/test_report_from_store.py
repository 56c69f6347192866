"""A report built from a store fetches nothing, carries no content and says reasons in words."""

import json
import re

import pytest

from data.rules_file import default_rules
from data.store import Store
from reports.build import report
from reports.commands import FORMATS
from services import imports, request
from services.scope import Scope

SECRET = "my-password-is-hunter2"
START = 1_773_304_927_318_000_000
MS = 1_000_000


def chat(i):
    trace, start = f"{i + 1:032x}", START + i * 1000 * MS
    text = {"stringValue": f"[{{'role': 'user', 'content': '{SECRET}'}}]"}
    model = {"key": "gen_ai.request.model", "value": {"stringValue": "llama"}}
    kinds = [("POST /chat", "", 0, 900 + i, []),
             ("chat llama", f"{1:016x}", 100, 800 + i,
              [model, {"key": "gen_ai.input.messages", "value": text},
               {"key": "gen_ai.prompt", "value": text}])]  # fmt: skip
    return [
        {"traceId": trace, "spanId": f"{j + 1:016x}", "parentSpanId": parent, "name": name,
         "kind": 2, "startTimeUnixNano": str(start + low * MS),
         "endTimeUnixNano": str(start + high * MS), "attributes": attributes}
        for j, (name, parent, low, high, attributes) in enumerate(kinds)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("content") / "chats.json"
    spans = [span for i in range(30) for span in chat(i)]
    service = [{"key": "service.name", "value": {"stringValue": "app"}}]
    scope = [{"spans": spans}]
    document = {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": scope}]}
    path.write_text(json.dumps(document), encoding="utf-8")
    made = Store(":memory:", default_rules())
    imports.import_files(made, [imports.Source(path.name, path)], keep_content=True)
    return made


def test_kept_content_is_in_the_store(store):
    assert SECRET in json.dumps(request.show(store, f"{1:032x}"))


@pytest.mark.parametrize("ending", FORMATS)
def test_no_kept_content_reaches_a_report(store, ending):
    text = FORMATS[ending](report(store, Scope()))
    assert SECRET not in text
    assert "hunter2" not in text
    assert len(text.encode()) < 1_000_000


def test_the_page_runs_and_fetches_nothing(store):
    text = FORMATS["html"](report(store, Scope())).lower()
    assert "<script" not in text
    assert not re.search(r"(src|href)\s*=|url\(|@import|<link|<iframe|<object", text)
    assert not re.search(r"\son[a-z]+\s*=", text)


@pytest.mark.parametrize("ending", ["html", "md"])
def test_why_a_technique_does_not_apply_is_a_sentence(store, ending):
    data = report(store, Scope())
    text = FORMATS[ending](data)
    ids = {f["not_because"] for f in data.findings if f["not_because"]} - {"lacks"}
    assert ids
    assert not [i for i in ids if "_" in i and i in text.replace("\\", "")]
