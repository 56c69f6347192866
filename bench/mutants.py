"""What the tests notice: `python -m bench.mutants duplicates` changes one place at a time.

Every mutation of the module runs in a fork of a process that has imported all libraries and none
of the project, so that constants, tables and defaults change as well as functions. Survivors and
why they may live: docs/mutants.md.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
os.environ.setdefault("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
os.environ.setdefault("SLOWPATH_EXAMPLES", "20")
os.environ.setdefault("SLOWPATH_ORACLE_TREES", "400")

import pytest
from hypothesis import HealthCheck, settings

from bench.mutations import Mutation, mutations

ROOT = Path(__file__).resolve().parent.parent
KNOWN = ROOT / "docs" / "mutants.md"
CLEANING = ROOT / "tests" / "analysis" / "cleaning"
LIBRARIES = ("numpy", "pandas", "pyarrow.compute", "msgspec", "numba", "hypothesis.strategies")
PARTITION = ("test_critical_path.py", "test_partition_oracle.py")
SLOW = ("test_cleaning_properties.py",)
NOT_THESE = ("test_cleaning_scale.py", "test_flags_document.py")
PASSED, FAILED = 0, 1


class Outcome(NamedTuple):
    """How a run ended (`passed`, `failed` or `too long`), its CPU seconds, and what failed."""

    how: str
    seconds: float
    test: str


def modules() -> dict[str, str]:
    """The modules that are checked, by short name."""
    found = {"critical_path": "analysis.critical_path", "cleaning": "analysis.cleaning"}
    for path in sorted((ROOT / "analysis" / "cleaning").glob("[a-z]*.py")):
        found[path.stem] = f"analysis.cleaning.{path.stem}"
    return found


def source(module: str) -> Path:
    """Where a module is written."""
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def suite(name: str) -> list[str]:
    """The files of tests that concern a module, those first that are likely to fail soon."""
    if name == "critical_path":
        return [str(CLEANING.parent / file) for file in PARTITION]
    files = [path for path in CLEANING.glob("test_*.py") if path.name not in NOT_THESE]
    files.sort(key=lambda path: (path.name in SLOW, path.stem != f"test_{name}", path.name))
    return [str(path) for path in files]


class _Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from a changed tree."""

    def __init__(self, module: str, path: str, tree: Any) -> None:
        super().__init__(module, path)
        self._tree = tree

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._tree, self.get_filename(fullname), "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one changed module, before all others look."""

    def __init__(self, module: str, tree: Any) -> None:
        self._module, self._tree = module, tree

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self._module:
            return None
        path = str(source(name))
        loader = _Changed(name, path, self._tree)
        return importlib.util.spec_from_file_location(name, path, loader=loader)


class _Without:
    """Stands in for tests/conftest.py, which opens the whole app; writes down what failed."""

    def __init__(self, told: int) -> None:
        self._told = told

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self._told, report.nodeid.encode())

    @pytest.fixture(scope="session")
    def shared(self) -> Path:
        pytest.skip("what the reference files alone show is not counted")


def outcome(files: list[str], limit: float, finder: _Finder) -> Outcome:
    """Run the tests in a process of their own, with the module that `finder` changes."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _run(files, limit, finder, writing)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        test = pipe.read().rpartition("/")[2]
    _, status = os.waitpid(child, 0)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    how = {PASSED: "passed", FAILED: "failed"}.get(os.waitstatus_to_exitcode(status), "too long")
    seconds = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
    return Outcome(how, seconds, test)


def _run(files: list[str], limit: float, finder: _Finder, told: int) -> None:
    seconds = int(limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    if not os.environ.get("SLOWPATH_MUTANT_OUTPUT"):
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
    sys.meta_path.insert(0, finder)
    options = ["-x", "-q", "--noconftest", "--assert=plain", "-p", "no:cacheprovider"]
    try:
        soon, rest = files[:2], files[2:]  # most fail in the first files: the rest is not read
        passed = not any(
            pytest.main([*options, *some], plugins=[_Without(told)])
            for some in (soon, rest)
            if some
        )
    except BaseException:  # a mutant may break anything, pytest's own hooks included
        passed = False
    os._exit(PASSED if passed else FAILED)


def ready() -> None:
    """Import what every run needs, and let random tests try the same examples each time."""
    for library in LIBRARIES:
        importlib.import_module(library)
    settings.register_profile(
        "mutants", deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    settings.load_profile("mutants")
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def survivors(name: str, only: str, every: bool) -> None:
    """Print the mutations of a module that no test notices, or all with the test that does."""
    module, files = modules()[name], suite(name)
    text = source(module).read_text(encoding="utf-8")
    unchanged = outcome(files, 600, _Finder(module, ast.parse(text)))
    if unchanged.how != "passed":
        sys.exit(f"{name}: without any change the tests {unchanged.how}: {unchanged.test}")
    known = KNOWN.read_text(encoding="utf-8") if KNOWN.exists() else ""
    section = known.partition(f"## {name}\n")[2].partition("\n## ")[0]
    counts: Counter[str] = Counter()
    for mutation in mutations(text):
        if only not in str(mutation):
            continue
        finder = _Finder(module, mutation.tree)
        how, _seconds, test = outcome(files, 10 + 3 * unchanged.seconds, finder)
        counts[how] += 1
        if how == "passed":
            print(f"{'argued' if _row(mutation) in section else 'OPEN  '} {mutation}", flush=True)
        elif every:
            print(f"{how:6} {mutation} {test}", flush=True)
    print(f"{name}: {counts.total()} changes, {dict(counts)}", flush=True)


def _row(mutation: Mutation) -> str:
    return str(mutation).replace("|", "\\|")


def main() -> None:
    """Check the modules that are named, all of them where none is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", nargs="*", choices=[[], *modules()], default=[], metavar="module")
    parser.add_argument("--only", default="", help="changes whose description contains this")
    parser.add_argument("--every", action="store_true", help="also what failed, and by which test")
    chosen = parser.parse_args()
    ready()
    begin = time.monotonic()
    for name in chosen.module or modules():
        survivors(name, chosen.only, chosen.every)
    print(f"{time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
