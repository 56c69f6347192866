"""No text that a user reads bypasses gettext; messages are literals with named fields."""

import ast
import re
from pathlib import Path

import pytest
from conftest import ROOT

CALLS = {"_", "ngettext"}
ST_TEXT = {
    "badge", "button", "caption", "checkbox", "date_input", "datetime_input", "dialog",
    "download_button", "error", "expander", "feedback", "file_uploader", "header", "html", "info",
    "link_button", "markdown", "menu_button", "metric", "multiselect", "number_input", "pills",
    "popover", "progress", "radio", "segmented_control", "select_slider", "selectbox", "slider",
    "spinner", "status", "subheader", "success", "text", "text_area", "text_input", "time_input",
    "title", "toast", "toggle", "warning", "write",
}  # fmt: skip
"""Streamlit calls whose first argument is read by the user."""

READ = {
    "label", "help", "placeholder", "caption", "title", "body", "description", "alt", "text",
    "delta_description", "page_title", "hovertemplate", "ticktext",
}  # fmt: skip
"""Keyword arguments that are read by the user, of any call."""

ALLOWED = {"slowpath", "ms", "kB", "MB", "GB", "UTC", "extra", "pt", "nbsp", "JSON", "CSV"}
"""Names and units that stay the same in every language."""

TECHNICAL = {"x unified", "middle left", "middle right", "middle center", "top left", "top right",
             "soft small"}  # fmt: skip
"""Values of options that look like words."""

NO_TEXT = {"charts/theme.py", "reports/style.py", "words/emitter_names.py"}
"""Modules of colours, style sheets and proper names."""

NOISE = re.compile(
    r"""<[^<>]*>?|:\{\}-badge|%?\{[^{}]*\}|:material/(?:\w+|\{\}):|:(?:small|gray|red|green|orange|blue|violet|primary)
    (?:-badge)?|https?://\S+|&\w+;|\$?[\w./-]+\.(?:py|md|toml|svg|json)|`[^`]*`""",
    re.X,
)


def words_of(text: str) -> list[str]:
    """Words of two letters or more that are left without markup, fields, icons and addresses."""
    return [w for w in re.findall(r"[A-Za-z]{2,}", NOISE.sub(" ", text)) if w not in ALLOWED]


def literal(node: ast.expr) -> str:
    """What is written out in a string or an f-string, fields as `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return literal(node.left) + literal(node.right)
    if isinstance(node, ast.IfExp):
        return f"{literal(node.body)} {literal(node.orelse)}"
    return ""


def called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def files(*rooms: str) -> list[Path]:
    return [path for room in rooms for path in sorted((ROOT / room).rglob("*.py"))]


def ident(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def bypassing(tree: ast.AST) -> list[str]:
    """Texts given straight to a widget or as a keyword that is read."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or called(node) in CALLS:
            continue
        given = [keyword.value for keyword in node.keywords if keyword.arg in READ]
        if isinstance(node.func, ast.Attribute) and node.func.attr in ST_TEXT:
            given += node.args[:1]
        texts = [(literal(value), value.lineno) for value in given]
        found += [f"line {line}: {text!r}" for text, line in texts if words_of(text)]
    return found


def sentences(tree: ast.AST) -> list[str]:
    """Strings that read as text (two words, or a capitalised one) outside gettext."""
    every = list(ast.walk(tree))
    outer = [n for n in every if isinstance(n, ast.Raise | ast.Assert)]
    outer += [n for n in every if isinstance(n, ast.Call) and called(n) in CALLS]
    inside = {id(n) for node in outer for n in ast.walk(node)}
    inside |= {id(n.value) for n in every if isinstance(n, ast.Expr)}
    found = []
    for node in every:
        if id(node) in inside or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        text = literal(node)
        plain = re.sub(r"\s+", " ", NOISE.sub(" ", text)).strip()
        if plain not in TECHNICAL and re.search(r"[A-Za-z]{3,} [a-z]{2,}|^[A-Z][a-z]{3,}$", plain):
            found.append(f"line {node.lineno}: {text[:60]!r}")
    return found


@pytest.mark.parametrize("path", files("pages", "ui", "charts", "reports"), ids=ident)
def test_text_for_the_user_goes_through_gettext(path):
    assert not bypassing(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", files("words", "charts", "reports"), ids=ident)
def test_sentences_and_labels_go_through_gettext(path):
    if ident(path) not in NO_TEXT:
        assert not sentences(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", files("pages", "ui", "words", "charts", "reports"), ids=ident)
def test_messages_are_literals_with_named_fields(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in CALLS:
            texts = node.args[: 1 if node.func.id == "_" else 2]
            assert all(isinstance(text, ast.Constant) for text in texts), node.lineno
            for text in texts:
                fields = re.findall(r"\{(.*?)\}", str(text.value))
                assert all(re.fullmatch(r"[a-z]\w*", field) for field in fields), node.lineno
                assert "!" not in str(text.value), node.lineno


@pytest.mark.parametrize(
    ("code", "caught"),
    [
        ('st.caption("Two words")', True), ('st.caption(_("Two words"))', False),
        ('st.markdown(f"**{x}** requests")', True), ('st.markdown(f"**{x}** · {y}")', False),
        ('left.button(":material/close:", key="close it")', False),
        ('st.button(_("Open"), help="Opens it")', True), ('st.Page("pages/x.py")', False),
        ('go.Bar(hovertemplate="%{customdata[1]}<extra></extra>")', False),
        ('go.Bar(text="Requests")', True), ('st.html("<div style=\'color:red\'></div>")', False),
        ('st.metric("E2E" if a else "Total", 1)', True),
    ],
)  # fmt: skip
def test_the_check_tells_text_from_markup(code, caught):
    assert bool(bypassing(ast.parse(code))) == caught


@pytest.mark.parametrize(
    ("code", "caught"),
    [
        ('X = {"a": "Request queue"}', True), ('X = {"a": _("Request queue")}', False),
        ('X = "Scheduling"', True), ('X = "scheduling"', False), ('"""A docstring here."""', False),
        ('raise ValueError("a developer reads this")', False), ('X = "middle right"', False),
        ('X = f"<p class=\'soft small\'>{y}</p>"', False), ('X = f"<p>nothing here {y}</p>"', True),
    ],
)  # fmt: skip
def test_the_second_check_tells_labels_from_ids(code, caught):
    assert bool(sentences(ast.parse(code))) == caught
