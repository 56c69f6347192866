"""The house holds its shape: who imports whom, how large a room may be."""

import ast
from pathlib import Path

import pytest
from conftest import ROOT

FLOORS = {
    "app": 7, "cli": 7, "pages": 6, "ui": 5, "reports": 4, "services": 3,
    "collectors": 2, "data": 2, "charts": 2, "words": 1, "analysis": 0,
}  # fmt: skip
SAME_FLOOR = {"collectors", "data", "charts", "ui", "reports"}
EXTRA = {"pages": {"pages"}, "services": {"charts"}, "cli": {"pages", "charts", "app"}}
ONLY_IN = {"duckdb": {"data"}, "plotly": {"charts"}, "click": {"cli"}, "requests": {"collectors"}}
STREAMLIT = {"app", "pages", "ui"}
ANALYSIS_MAY = {"numpy", "pandas", "pyarrow", "numba"}
LIMITS = {"charts": 120}


def modules() -> list[Path]:
    found = [ROOT / "app.py", ROOT / "cli.py"]
    for room in FLOORS:
        found += sorted((ROOT / room).rglob("*.py")) if (ROOT / room).is_dir() else []
    return found


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def ident(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", modules(), ids=ident)
def test_a_module_imports_only_from_floors_below(path):
    here = room(path)
    for name in imported(path) & set(FLOORS):
        lower = FLOORS[name] < FLOORS[here] or name == here
        assert lower, f"{here} may not import {name}"
        assert name not in EXTRA.get(here, set()), f"{here} may not import {name}"
        assert name == here or FLOORS[name] != FLOORS[here]


@pytest.mark.parametrize("path", modules(), ids=ident)
def test_each_library_has_one_door(path):
    here, names = room(path), imported(path)
    for library, rooms in ONLY_IN.items():
        assert library not in names or here in rooms, f"{here} may not import {library}"
    assert "streamlit" not in names or here in STREAMLIT
    assert "requests" not in names or path.name == "http.py"


@pytest.mark.parametrize("path", [p for p in modules() if room(p) == "analysis"], ids=ident)
def test_analysis_needs_no_file_network_or_clock(path):
    import sys

    forbidden = {"socket", "urllib", "http", "pathlib", "os", "io", "time", "subprocess", "gettext"}
    for name in imported(path) - {"analysis", "__future__"}:
        assert name in ANALYSIS_MAY or name in sys.stdlib_module_names, name
        assert name not in forbidden, name


@pytest.mark.parametrize("path", modules(), ids=ident)
def test_rooms_stay_small(path):
    text = path.read_text(encoding="utf-8")
    limit = 60 if room(path) == "pages" else LIMITS.get(room(path), 300)
    assert len(text.splitlines()) <= limit
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 40, f"{node.name} is over 40 lines"


@pytest.mark.parametrize("path", sorted((ROOT / "data").rglob("*.sql")), ids=ident)
def test_sql_stays_small_and_says_what_a_row_is(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert path.name == "schema.sql" or len(lines) <= 40
    assert lines[0].startswith("-- ")


def test_tests_stay_small():
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                size = (node.end_lineno or 0) - node.lineno + 1
                assert size <= 25, f"{path.name}: {node.name} has {size} lines"
    assert not list((ROOT / "tests").rglob("__init__.py"))


def test_a_browser_test_clicks_only_through_press():
    for path in sorted((ROOT / "tests" / "browser").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in {"click", "dblclick", "check"}:
                assert ast.unparse(node).endswith("mouse.click"), f"{path.name}:{node.lineno}"


def test_test_files_have_names_of_their_own():
    names = [path.stem for path in (ROOT / "tests").rglob("*.py")]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", modules(), ids=ident)
def test_names_say_what_a_thing_is(path):
    assert not {"utils", "util", "helpers", "helper", "manager"} & set(path.stem.split("_"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert not node.name.lstrip("_").startswith(("get_", "process_")), node.name
