"""The filter expression: a small subset of SQL conditions over the columns of a request."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from analysis.errors import UserError
from analysis.stages import GROUPS, HARNESS, STAGES
from words import _

LONGEST: Final = 2000
"""Characters of an expression; more is no condition that somebody wrote."""

NUMBER, TEXT, TRUTH, LIST = "number", "text", "truth", "list"


def _longest_stage() -> str:
    """The id of the stage that holds most of a request; the first in product order of several."""
    names = ", ".join(f"'{stage}'" for stage in STAGES)
    held = ", ".join(f"{stage}_ns" for stage in STAGES)
    return f"[{names}][list_position([{held}], greatest({held}))]"


def _columns() -> dict[str, tuple[str, str]]:
    """Column of an expression -> (its kind, what it is in SQL)."""
    sums = {stage: f"{stage}_ns" for stage in STAGES}
    for group, stages in GROUPS.items():
        sums[group] = " + ".join(f"{stage}_ns" for stage in stages)
    sums["harness"] = " + ".join(sums[group] for group in HARNESS)
    found = {f"{name}_ms": (NUMBER, f"(({sql}) / 1e6)") for name, sql in sums.items()}
    found |= {
        f"{name}_share": (NUMBER, f"(({sql}) / nullif(e2e_ns, 0))") for name, sql in sums.items()
    }
    for name in ("e2e", "raw_e2e", "ttft", "tpot", "itl_p50", "itl_p99", "itl_max"):
        found[f"{name}_ms"] = (NUMBER, f"({name}_ns / 1e6)")
    for tokens in ("input", "cached", "output"):
        for name in (f"{tokens}_tokens", f"total_{tokens}_tokens"):
            found[name] = (NUMBER, name)
    found |= {
        f"n_{name}": (NUMBER, f"n_{name}") for name in ("calls", "spans", "services", "async")
    }
    for name in ("trace_id", "root_span_id", "service", "route", "name", "model", "version"):
        found[name] = (TEXT, name)
    found |= {name: (TEXT, name) for name in ("status", "emitter", "ttft_source", "itl_unit")}
    found["token_gaps"] = (NUMBER, "token_gaps")
    found["longest_stage"] = (TEXT, _longest_stage())
    return found | {"excluded": (TRUTH, "excluded"), "flags": (LIST, "flags")}


COLUMNS: Final = _columns()
"""Every column that an expression may name, with its kind and its SQL."""


class ExpressionError(UserError):
    """What is wrong with an expression: `position` counts characters from 0."""

    def __init__(self, expected: str, found: str, position: int, suggestion: str = "") -> None:
        self.position, self.suggestion = position, suggestion
        place = _("expression, character {number}").format(number=position + 1)
        super().__init__(expected, found, place)


def compiled(text: str) -> tuple[str, dict[str, Any]]:
    """The condition in SQL made of our own words alone, and the values bound in it by name.

    Raises:
        ExpressionError: with the position of what is wrong and the nearest column.
    """
    if len(text) > LONGEST:
        found = _("{count} characters").format(count=len(text))
        expected = _("an expression of at most {count} characters").format(count=LONGEST)
        raise ExpressionError(expected, found, LONGEST)
    try:
        tree = _parsed(text)
        return (compiler := _Compiler(text)).sql(tree, TRUTH), compiler.values
    except RecursionError:
        expected = _("an expression that is nested less deeply")
        raise ExpressionError(expected, _("one too deep to read"), 0) from None


def _parsed(text: str) -> Any:
    try:
        tree = sqlglot.parse_one(text, dialect="duckdb")
    except SqlglotError as error:
        first = (getattr(error, "errors", None) or [{}])[0]
        found = first.get("highlight") or _("a text that ends too early")
        position = len(first.get("start_context") or "")
        raise ExpressionError(_expected_condition(), found, position) from None
    if any(node.comments for node in tree.walk()) or ";" in _outside_quotes(text):
        raise ExpressionError(_expected_condition(), _("a comment or a semicolon"), 0)
    return tree


def _outside_quotes(text: str) -> str:
    return "".join(text.split("'")[::2])


def _expected_condition() -> str:
    return _("a condition such as request_queue_ms > 200")


class _Compiler:
    """Walks the tree of one expression; `values` collects its literals."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: dict[str, Any] = {}

    def sql(self, node: Any, wanted: str | None = None) -> str:
        """SQL of a node that must be of the wanted kind."""
        return self.typed(node, wanted)[1]

    def typed(self, node: Any, wanted: str | None = None) -> tuple[str, str]:
        """(kind, SQL) of a node; ExpressionError for what is not on the list."""
        rule = _RULES.get(type(node))
        if rule is None or not _plain(node):
            raise self.error(node, self.part(node))
        kind, sql = rule(self, node)
        if wanted is not None and kind != wanted:
            raise self.error(node, self.part(node), _kind_names()[wanted])
        return kind, sql

    def bind(self, value: Any) -> str:
        name = f"f_literal_{len(self.values)}"
        self.values[name] = value
        return f"${name}"

    def part(self, node: Any) -> str:
        """What of the text a node stands for, for messages."""
        return str(node.sql(dialect="duckdb", comments=False))[:80]

    def error(
        self, node: Any, found: str, expected: str | None = None, suggestion: str = ""
    ) -> ExpressionError:
        places = [part.meta["start"] for part in node.walk() if "start" in part.meta]
        position = min(places) if places else max(self.text.find(self.part(node)), 0)
        return ExpressionError(expected or _expected_condition(), found, position, suggestion)


def _kind_names() -> dict[str, str]:
    return {
        NUMBER: _("a number"),
        TEXT: _("a text in single quotes or a column that holds one"),
        TRUTH: _expected_condition(),
        LIST: _("a list of flags"),
    }


def _plain(node: Any) -> bool:
    """Whether a node carries no part beyond those that its rule reads."""
    allowed = {"this", "expression", "expressions", "low", "high", "is_string", "quoted", "negate"}
    allowed |= {"safe", "typed", "is_null", "is_variadic"}  # sqlglot's own notes on a node
    return all(key in allowed for key, value in node.args.items() if value)


def _column(compiler: _Compiler, node: Any) -> tuple[str, str]:
    name = node.name.lower()
    if name in COLUMNS and isinstance(node.this, exp.Identifier):
        return COLUMNS[name]
    near = difflib.get_close_matches(name, COLUMNS, n=1)
    found = _("no such column: {name}").format(name=node.name)
    if near:
        found = _("no such column: {name}; did you mean {near}?").format(
            name=node.name, near=near[0]
        )
    elif node.this.args.get("quoted"):
        found = _("no such column: {name}; a text stands in single quotes").format(name=node.name)
    raise compiler.error(node, found, _("a column of a request"), near[0] if near else "")


def _literal(compiler: _Compiler, node: Any) -> tuple[str, str]:
    if node.is_string:
        return TEXT, compiler.bind(node.this)
    try:
        number = int(node.this) if node.this.isdigit() else float(node.this)
    except ValueError:
        raise compiler.error(node, node.this, _kind_names()[NUMBER]) from None
    return NUMBER, compiler.bind(number if abs(number) < 2**63 else float(number))


def _operands(compiler: _Compiler, nodes: list[Any], kinds: tuple[str, ...]) -> list[str]:
    """SQL of nodes that must share one of these kinds; the first one decides which."""
    kind, first = compiler.typed(nodes[0])
    if kind not in kinds:
        raise compiler.error(nodes[0], compiler.part(nodes[0]), _kind_names()[kinds[0]])
    return [kind, first, *(compiler.sql(node, kind) for node in nodes[1:])]


_Rule = Callable[[_Compiler, Any], tuple[str, str]]


def _binary(symbol: str, kinds: tuple[str, ...], result: str) -> _Rule:
    def rule(compiler: _Compiler, node: Any) -> tuple[str, str]:
        _kind, left, right = _operands(compiler, [node.this, node.expression], kinds)
        word = f"NOT {symbol}" if node.args.get("negate") else symbol
        return result, f"({left} {word} {right})"

    return rule


def _prefix(symbol: str, kind: str) -> _Rule:
    return lambda compiler, node: (kind, f"({symbol} {compiler.sql(node.this, kind)})")


def _call(name: str, kinds: tuple[str, ...], result: str) -> _Rule:
    def rule(compiler: _Compiler, node: Any) -> tuple[str, str]:
        nodes = [node.this, *filter(None, [node.args.get("expression")]), *node.expressions]
        kind, *parts = _operands(compiler, nodes, kinds)
        return result or kind, f"{name}({', '.join(parts)})"

    return rule


def _contains(compiler: _Compiler, node: Any) -> tuple[str, str]:
    kind, sql = compiler.typed(node.this)
    if kind not in (TEXT, LIST):
        raise compiler.error(node.this, compiler.part(node.this), _kind_names()[TEXT])
    return TRUTH, f"contains({sql}, {compiler.sql(node.expression, TEXT)})"


def _in(compiler: _Compiler, node: Any) -> tuple[str, str]:
    if not node.expressions:
        raise compiler.error(node, compiler.part(node))
    _kind, sql, *values = _operands(compiler, [node.this, *node.expressions], (NUMBER, TEXT))
    return TRUTH, f"({sql} IN ({', '.join(values)}))"


def _between(compiler: _Compiler, node: Any) -> tuple[str, str]:
    nodes = [node.this, node.args["low"], node.args["high"]]
    _kind, sql, low, high = _operands(compiler, nodes, (NUMBER, TEXT))
    return TRUTH, f"({sql} BETWEEN {low} AND {high})"


def _is(compiler: _Compiler, node: Any) -> tuple[str, str]:
    if isinstance(node.expression, exp.Null):
        return TRUTH, f"({compiler.sql(node.this)} IS NULL)"
    truth = compiler.sql(node.expression, TRUTH)
    return TRUTH, f"({compiler.sql(node.this, TRUTH)} IS NOT DISTINCT FROM {truth})"


def _paren(compiler: _Compiler, node: Any) -> tuple[str, str]:
    return compiler.typed(node.this)


_COMPARED = (NUMBER, TEXT, TRUTH)
_RULES: Final[dict[type, _Rule]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda _compiler, node: (TRUTH, "true" if node.this else "false"),
    exp.Paren: _paren,
    exp.And: _binary("AND", (TRUTH,), TRUTH),
    exp.Or: _binary("OR", (TRUTH,), TRUTH),
    exp.Not: _prefix("NOT", TRUTH),
    exp.Neg: _prefix("-", NUMBER),
    exp.EQ: _binary("=", _COMPARED, TRUTH),
    exp.NEQ: _binary("<>", _COMPARED, TRUTH),
    exp.LT: _binary("<", (NUMBER, TEXT), TRUTH),
    exp.LTE: _binary("<=", (NUMBER, TEXT), TRUTH),
    exp.GT: _binary(">", (NUMBER, TEXT), TRUTH),
    exp.GTE: _binary(">=", (NUMBER, TEXT), TRUTH),
    exp.Like: _binary("LIKE", (TEXT,), TRUTH),
    exp.ILike: _binary("ILIKE", (TEXT,), TRUTH),
    exp.Add: _binary("+", (NUMBER,), NUMBER),
    exp.Sub: _binary("-", (NUMBER,), NUMBER),
    exp.Mul: _binary("*", (NUMBER,), NUMBER),
    exp.Div: _binary("/", (NUMBER,), NUMBER),
    exp.In: _in,
    exp.Between: _between,
    exp.Is: _is,
    exp.Contains: _contains,
    exp.StartsWith: _call("starts_with", (TEXT,), TRUTH),
    exp.Abs: _call("abs", (NUMBER,), NUMBER),
    exp.Lower: _call("lower", (TEXT,), TEXT),
    exp.Coalesce: _call("coalesce", (NUMBER, TEXT, TRUTH), ""),
}
