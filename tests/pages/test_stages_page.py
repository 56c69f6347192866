"""The Stages page: path or shared, groups, the stages of TTFT; all of it in the address."""

import pytest
from builders import spans
from page_stores import empty_store, opened, page, sample_store, texts
from stores_of_files import export, imported

LINES = ("a . web server 0 100 chat", "q a web client 0 60 SELECT", "c a web client 40 100 GET")
SIDES = {
    "q": {"attributes": {"db.system.name": "postgresql"}},
    "c": {"attributes": {"url.full": "http://elsewhere.example.com/x"}},
}


@pytest.fixture
def overlapping(tmp_path):
    """Requests with two spans at work at once for a fifth of their time."""
    store = empty_store()
    traces = [spans(*LINES, trace_id=f"{n:032x}", **SIDES) for n in range(1, 25)]
    imported(store, export(tmp_path, "some.json", *traces))
    with opened(store):
        yield store


@pytest.fixture
def sample():
    with opened(sample_store()) as store:
        yield store


def control(app, label):
    return next(group for group in app.button_group if group.label == label)


@pytest.mark.usefixtures("overlapping")
def test_the_path_is_shown_first_and_what_shared_says_otherwise_is_named():
    app = page("stages.py")
    assert not app.exception
    assert control(app, "Aggregate").value == "path"
    said = texts(app).replace("\u202f", " ")
    assert "Every instant belongs to the one span that the request waited for." in said
    assert "**Datastore** at p95: 40 ms on the path, 50 ms shared" in said
    assert "Named where the two differ by over 2.0 % of the mean." in said


@pytest.mark.usefixtures("overlapping")
def test_shared_stands_in_the_address_and_every_band_still_adds_up():
    app = page("stages.py")
    control(app, "Aggregate").set_value("shared").run()
    assert not app.exception
    assert app.query_params["aggregate"] == "shared"
    assert "Shared · Mean per request in ms" in texts(app)
    table = app.dataframe[-1].value
    assert table["Median"].tolist() == table["p95"].tolist() == [50.0, 50.0]
    again = page("stages.py", aggregate="shared")
    assert control(again, "Aggregate").value == "shared"


@pytest.mark.usefixtures("sample")
def test_where_the_aggregates_hardly_differ_only_shared_says_so():
    assert "no stage differs" not in texts(page("stages.py"))
    assert "no stage differs from path" in texts(page("stages.py", aggregate="shared"))


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("by", ["hour", "minute", "model", "service", "version", "route"])
def test_groups_of_every_kind_hold_every_request_once(by):
    app = page("stages.py", by=by, band="all")
    assert not app.exception
    groups = next(f.value for f in app.dataframe if "In the band" in f.value.columns)
    assert groups["Requests"].sum() == groups["In the band"].sum() == 474
    assert groups.columns[0].lower() == by
    assert f"Stages by {by}" in texts(app)


@pytest.mark.usefixtures("sample")
def test_groups_by_the_other_aggregate_say_so():
    app = page("stages.py", aggregate="shared", by="route")
    assert not app.exception
    assert "Shared · Mean of the p95 band of each group" in texts(app)


@pytest.mark.usefixtures("sample")
def test_the_trend_of_ttft_is_of_its_own_stages():
    assert "**Stages over time**" in texts(page("stages.py"))
    app = page("stages.py", objective="ttft")
    assert not app.exception
    assert "**Stages of TTFT over time**" in texts(app)
    tables = [f.value for f in app.dataframe if "Inference" in f.value.columns]
    longest = max(float(t.split("\u202f")[0]) for t in tables[0]["Inference"] if "ms" in t)
    assert longest < 1_000


@pytest.mark.usefixtures("sample")
def test_the_heatmap_has_its_table():
    app = page("overview.py")
    table = next(f.value for f in app.dataframe if list(f.value.columns)[1:2] == ["Latency"])
    assert sum(int(n.replace(",", "")) for n in table["Requests"]) == 474


@pytest.mark.usefixtures("sample")
def test_a_band_that_takes_too_long_to_split_stands_on_the_path_and_says_so(monkeypatch):
    monkeypatch.setattr("ui.aggregate.MOST", 100)
    said = texts(page("stages.py", aggregate="shared", band="all"))
    assert "On the path, since splitting over 100 requests takes long: All" in said
    assert "takes long: all groups" in said
