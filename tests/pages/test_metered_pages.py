"""Overview and Stages where only metrics have come: means, their label, what they leave open."""

import pytest
from builders import spans
from page_stores import empty_store, opened, page, texts
from stores_of_files import export, imported

from services.imports import Source

FAMILIES = {
    "vllm:e2e_request_latency_seconds": 80,
    "vllm:request_queue_time_seconds": 20,
    "vllm:request_prefill_time_seconds": 10,
    "vllm:request_decode_time_seconds": 46,
}
POINT = """# TYPE {0} histogram
{0}_bucket{{le="1"}} 30
{0}_bucket{{le="+Inf"}} 40
{0}_sum {1}
{0}_count 40
"""


@pytest.fixture
def metered(tmp_path):
    scrape = tmp_path / "scrape.txt"
    proxy = POINT.format("envoy_http_downstream_rq_time", 90).replace("40\n", "400\n")
    scrape.write_text("".join(POINT.format(*held) for held in FAMILIES.items()) + proxy)
    store = empty_store()
    imported(store, Source(scrape.name, scrape))
    with opened(store):
        yield store


@pytest.mark.parametrize("script", ["overview.py", "stages.py"])
@pytest.mark.usefixtures("metered")
def test_a_page_opens_with_the_mean_and_says_its_basis(script):
    app = page(script)
    assert not app.exception
    said = texts(app).replace("\u202f", " ")
    assert "A request takes 2.00 s in the mean; 58 % of it is decode." in said
    assert "means from metrics, no per-request detail" in said
    assert "metrics hold no single request" in said
    assert "Envoy" in said
    assert [card.label for card in app.metric] == ["Requests counted", "Mean", "p50", "p95", "p99"]
    assert [card.value.replace("\u202f", " ") for card in app.metric][2:4] == [
        "up to 1 s",
        "over 1 s",
    ]


@pytest.mark.usefixtures("metered")
def test_the_stages_page_says_which_family_a_slice_comes_from():
    app = page("stages.py")
    (made,) = [t.value for t in app.dataframe if "From" in t.value]
    assert "rest of vllm:e2e_request_latency_seconds" in made["From"].tolist()
    assert len(made) == 4


@pytest.mark.usefixtures("metered")
def test_another_objective_is_said_to_be_the_same_means():
    assert "These are of E2E" in texts(page("overview.py", objective="ttft"))


def test_the_first_trace_takes_the_place_of_the_means(metered, tmp_path):
    imported(metered, export(tmp_path, "one.json", spans("a . web server 0 100 chat")))
    assert "means from metrics" not in texts(page("overview.py"))
