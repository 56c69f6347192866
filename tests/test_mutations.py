"""What the check of the tests changes: one place at a time, told by function and text."""

import ast

import pytest

from bench.mutations import mutations

SOURCE = '''"""What this does."""

LIMIT: int = 5


def inside(value: int, low: int | None = None) -> bool:
    """Whether it is."""
    if low is not None and value < low:
        return False
    return value <= LIMIT
'''


def changes(source):
    return [str(mutation) for mutation in mutations(source)]


def test_every_comparison_constant_condition_and_answer_is_changed_once():
    assert changes(SOURCE) == [
        "`the module`: `LIMIT: int = 5` → `LIMIT: int = 6`",
        *(
            f"`inside`: `if low is not None and value < low:` → `if {test}:`"
            for test in (
                "True", "False", "low is not None or value < low", "value < low",
                "low is not None", "low is None and value < low",
                "low is not None and value <= low", "low is not None and value >= low",
            )
        ),
        "`inside`: `return False` → `return None`",
        "`inside`: `return False` → `return True`",
        "`inside`: `return value <= LIMIT` → `return None`",
        "`inside`: `return value <= LIMIT` → `return value < LIMIT`",
        "`inside`: `return value <= LIMIT` → `return value > LIMIT`",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("x = min(a, b)", ["max(a, b)", "a", "b"]),
        ("x = a + b", ["a - b"]),
        ("x = -a", ["a"]),
        ("x = a if b else c", ["a", "c"]),
        ("x = [a for a in b if c]", ["[a for a in b]"]),
        ("x = sorted(a, key=b)", ["sorted(a)"]),
        ("x = any(a)", ["all(a)"]),
    ],
)
def test_an_expression_is_changed_in_every_way_that_still_runs(line, changed):
    assert changes(line) == [f"`the module`: `{line}` → `x = {text}`" for text in changed]


@pytest.mark.parametrize("line", ["a.b = c", "a[0] = c", "a(c)", "del a[b]"])
def test_a_line_that_has_an_effect_is_left_out(line):
    assert f"`the module`: `{line}` → `pass`" in changes(line)


def test_what_never_runs_is_not_changed():
    silent = ('"""Said."""', "x: int | None", "Pair = tuple[int, 3]", '__all__ = ["a"]', "import a")
    assert [changes(line) for line in silent] == [[]] * len(silent)


def test_a_mutation_leaves_the_tree_it_came_from_alone():
    for mutation in mutations(SOURCE):
        compile(mutation.tree, "changed", "exec")
        assert ast.unparse(mutation.tree) != ast.unparse(ast.parse(SOURCE)), str(mutation)
