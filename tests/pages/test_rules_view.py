"""Sources › Rules: names without a stage, the form with its preview, rules added and deleted."""

import pytest
from builders import spans
from page_stores import heading, opened, page, texts
from stores_of_files import empty_store, export, imported

from services import rules
from services.rule_drafts import Draft
from ui import session

CHAT = ("a . web server 0 100 chat", "b a web internal 10 70 crunch", "c a jobs client 80 90 ask")


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "rules.toml"
    path.write_text("# mine\n")
    monkeypatch.setenv("SLOWPATH_RULES", str(path))
    return path


@pytest.fixture
def store(tmp_path, path):
    opened_store = empty_store()
    imported(opened_store, export(tmp_path, "chat.json", spans(*CHAT)))
    with opened(opened_store):
        yield opened_store
    opened_store.close()


def shown(**query):
    app = page("sources.py", view="rules", **query)
    assert not app.exception, app.exception
    return app


def button(app, label, number=0):
    return [b for b in app.button if b.label == label][number]


def finished(app):
    for job in session.jobs().all("rules"):
        assert job.finished.wait(20)
    return app.run()


def plain(app):
    return texts(app).replace("\\", "")


def test_the_names_without_a_stage_are_the_answer(store):
    app = shown()
    assert heading(app) == (
        "## 70\u202f% of all time is unattributed; its top 2 span names hold 70\u202f%."
    )
    assert "**crunch** :gray[web]" in plain(app)
    assert "60\u202fms · 60\u202f% of all time · 1 request · 1 span" in plain(app)
    assert "None yet." in plain(app)


def test_the_page_shows_the_data_where_nothing_else_is_asked(store):
    app = page("sources.py")
    assert heading(app).startswith("## Drop a trace export")
    app.session_state["sources_view"] = "rules"
    assert "unattributed" in heading(app.run())


def form():
    """The form as a click on the first name opens it."""
    return button(shown(), "Make a rule").click().run()


def test_a_click_on_a_name_opens_the_form_for_it(store):
    app = form()
    assert [box.value for box in app.text_input] == ["^crunch$", "^web$"]
    assert "1 span like this" in plain(app)
    assert button(app, "Save").disabled


def test_a_rule_is_made_and_deleted_again(store, path):
    app = form()
    app.selectbox[0].set_value("retrieval").run()
    assert "1 request · 60\u202fms moves from Unattributed to Retrieval" in plain(app)
    app = finished(button(app, "Save").click().run())
    assert "Rule crunch saved." in app.toast[0].value.replace("\\", "")
    assert "10\u202f% of all time" in heading(app)
    assert "**crunch** → Retrieval" in plain(app)
    app = button(app, "Delete").click().run()
    assert "1 request · 60\u202fms moves from Retrieval to Unattributed" in plain(app)
    app = finished(button(app, "Delete the rule").click().run())
    assert "Rule crunch deleted." in app.toast[0].value
    assert "70\u202f% of all time" in heading(app)
    assert path.read_text().strip() == "# mine"


def test_stages_are_offered_with_their_groups(store):
    app = form()
    assert "Application · Retrieval" in app.selectbox[0].options
    assert app.selectbox[0].options[-1] == "Unattributed"


def test_a_pattern_that_cannot_be_read_is_said_and_not_saved(store):
    app = form()
    app.selectbox[0].set_value("tools").run()
    app.text_input[0].set_value("(").run()
    assert "a regular expression for name" in app.error[0].value.replace("\\", "")
    assert button(app, "Save").disabled
    app.text_input[0].set_value("")
    app.text_input[1].set_value("").run()
    assert "Give a span name, a service or both." in plain(app)


def test_a_link_from_a_span_opens_the_form_for_it(store):
    app = shown(name="crunch", service="web").run()
    assert [box.value for box in app.text_input] == ["^crunch$", "^web$"]


def test_a_link_from_a_rule_shows_it(store):
    assert "Takes kind server" in plain(shown(rule="any_server"))
    assert "No rule has the id `nothing`." in plain(shown(rule="nothing"))


def test_where_everything_has_a_stage_it_is_said_and_a_rule_can_still_be_made(store):
    rules.save(store, Draft("tools", service="."))
    app = shown()
    assert heading(app) == "## Every span that holds time has a stage: nothing is unattributed."
    app = button(app, "Make a rule for any span name").click().run()
    assert [box.value for box in app.text_input] == ["", ""]


def test_a_rule_that_cannot_be_kept_is_said_and_changes_nothing(store, path, monkeypatch):
    app = form()
    app.selectbox[0].set_value("tools").run()

    def refuse(*_given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("data.own_rules._replace", refuse)
    app = finished(button(app, "Save").click().run())
    said = app.error[0].value.replace("\\", "")
    assert "**Not saved.**" in said
    assert "No space left on device" in said
    assert "70\u202f% of all time" in heading(app)
    button(app, "Dismiss").click().run()
    assert session.jobs().all("rules") == []


def test_a_file_edited_by_hand_is_offered_and_read_again(store, path):
    path.write_text('[[rule]]\nid = "x"\nstage = "tools"\nname = "^crunch$"\n')
    app = shown()
    assert "The rules file was edited" in plain(app)
    app = finished(button(app, "Read the file again").click().run())
    assert "**x** → Tools" in plain(app)
    assert "The rules file was edited" not in plain(app)


def test_a_file_at_fault_is_said_with_its_line(store, path):
    path.write_text('[[rule]]\nid = "x"\nstage = "nowhere"\n')
    app = shown()
    assert "line 1, rule x" in app.error[0].value.replace("\\", "")
    assert "**crunch**" in plain(app)


def test_an_answer_that_names_no_stage_leads_to_the_names(tmp_path, path):
    many = empty_store()
    batches = (spans(*CHAT, trace_id=f"{number:032x}") for number in range(1, 26))
    imported(many, export(tmp_path, "many.json", *batches))
    with opened(many):
        app = page("overview.py")
    assert not app.exception
    assert "no stage can be blamed yet" in heading(app)
    assert "Name the top 2 span names and 70\u202f% of all time finds a stage" in plain(app)


@pytest.mark.usefixtures("path")
def test_a_store_without_requests_claims_nothing_about_them():
    with opened(empty_store()):
        app = shown()
    assert heading(app).endswith("Give it one export.")
    assert "Nothing has been imported yet." in plain(app)


@pytest.mark.usefixtures("path")
def test_spans_that_never_arrived_cannot_be_named_and_are_told_apart(tmp_path):
    lost = empty_store()
    orphans = spans("b lost web server 10 40 chat", "c lost web server 60 90 chat")
    imported(lost, export(tmp_path, "lost.json", orphans))
    with opened(lost):
        app = shown()
    assert "is of spans that never arrived" in heading(app)
    assert not [b for b in app.button if b.label == "Make a rule"]
