"""Every way to change one place of a module: a comparison, a constant, a line left out."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,),
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift, ast.Pow: ast.Mult,
}  # fmt: skip
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
WIDTH = 90


class Mutation(NamedTuple):
    """The module with one place changed: in which function, and what became of which text."""

    where: str
    change: str
    tree: ast.Module

    def __str__(self) -> str:
        return f"`{self.where}`: {self.change}"


_Edit = Callable[[Any], ast.AST]
"""Changes a node, or gives the one that takes its place."""


def mutations(source: str) -> Iterator[Mutation]:
    """Every mutation of a module's text, function by function."""
    tree = ast.parse(source)
    for path, where in _places(tree, (), "the module"):
        for edit in _edits(_at(tree, path)):
            changed = copy.deepcopy(tree)
            _put(changed, path, edit(_at(changed, path)))
            shown = _shown(tree, path)
            change = _change(ast.unparse(_at(tree, shown)), ast.unparse(_at(changed, shown)))
            if change:
                ast.fix_missing_locations(changed)
                yield Mutation(where, change, changed)


_Path = tuple[tuple[str, int | None], ...]


def _places(node: ast.AST, path: _Path, where: str) -> Iterator[tuple[_Path, str]]:
    """Every node that runs: no annotation, decorator, docstring or alias of a type."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        where = node.name if where == "the module" else f"{where}.{node.name}"
    if path:
        yield path, where
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "ctx"):
            continue
        many = isinstance(value, list)
        for number, child in enumerate(value if many else [value]):
            if isinstance(child, ast.AST) and not _says_nothing(child, node):
                yield from _places(child, (*path, (name, number if many else None)), where)


def _says_nothing(node: ast.AST, above: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign) and isinstance(above, ast.Module | ast.ClassDef):
        name = ast.unparse(node.targets[0])
        return isinstance(node.value, ast.Subscript) or name in ("__all__", "__slots__")
    return isinstance(node, ast.Import | ast.ImportFrom)


def _at(tree: ast.AST, path: _Path) -> Any:
    node: Any = tree
    for name, number in path:
        node = getattr(node, name)
        node = node if number is None else node[number]
    return node


def _put(tree: ast.AST, path: _Path, node: ast.AST) -> None:
    above, (name, number) = _at(tree, path[:-1]), path[-1]
    if number is None:
        setattr(above, name, node)
    else:
        getattr(above, name)[number] = node


def _shown(tree: ast.AST, path: _Path) -> _Path:
    """What to show of a change: the largest piece around it that fits on a line."""
    found = path
    for length in range(len(path), 0, -1):
        node = _at(tree, path[:length])
        if isinstance(node, ast.comprehension | ast.keyword | ast.arguments | ast.operator):
            continue
        text = ast.unparse(node)
        if len(text) > WIDTH and found != path:
            break
        found = path[:length]
        if isinstance(node, ast.stmt) or len(text) > WIDTH:
            break
    return found


def _change(old: str, new: str) -> str:
    """The first line that differs, as it was and as it is; empty where none does."""
    for before, after in zip_longest(old.splitlines(), new.splitlines(), fillvalue=""):
        if before != after:
            return f"`{before.strip()}` → `{after.strip()}`"
    return ""


def _edits(node: ast.AST) -> Iterator[_Edit]:
    yield from EDITS.get(type(node), _none)(node)


def _none(_node: Any) -> Iterator[_Edit]:
    return iter(())


def _compare(node: ast.Compare) -> Iterator[_Edit]:
    for number, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            yield lambda n, i=number, o=other: _with(n, ops=[*n.ops[:i], o(), *n.ops[i + 1 :]])


def _operation(node: ast.BinOp | ast.AugAssign) -> Iterator[_Edit]:
    if type(node.op) in OPERATORS:
        yield lambda n: _with(n, op=OPERATORS[type(n.op)]())


def _logic(node: ast.BoolOp) -> Iterator[_Edit]:
    yield lambda n: _with(n, op=ast.Or() if isinstance(n.op, ast.And) else ast.And())
    for number in range(len(node.values)):
        yield lambda n, i=number: _without(n, i)


def _without(node: ast.BoolOp, number: int) -> ast.AST:
    values = node.values[:number] + node.values[number + 1 :]
    return values[0] if len(values) == 1 else _with(node, values=values)


def _sign(node: ast.UnaryOp) -> Iterator[_Edit]:
    if isinstance(node.op, ast.Not | ast.USub):
        yield lambda n: n.operand


def _constant(node: ast.Constant) -> Iterator[_Edit]:
    value = node.value
    if isinstance(value, bool):
        yield lambda n: ast.Constant(not n.value)
    elif isinstance(value, int):
        yield lambda n: ast.Constant(n.value + 1)
    elif isinstance(value, str) and value:
        yield lambda n: ast.Constant("XX" + n.value)


def _call(node: ast.Call) -> Iterator[_Edit]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in SWAPPED:
        yield lambda n: _with(n, func=ast.Name(SWAPPED[n.func.id], ast.Load()))
    if name in ("min", "max") and len(node.args) > 1:
        for number in range(len(node.args)):
            yield lambda n, i=number: n.args[i]
    for number, keyword in enumerate(node.keywords):
        if keyword.arg in ("key", "reverse"):
            yield lambda n, i=number: _with(n, keywords=n.keywords[:i] + n.keywords[i + 1 :])


def _either(_node: ast.IfExp) -> Iterator[_Edit]:
    yield lambda n: n.body
    yield lambda n: n.orelse


def _branch(_node: ast.If) -> Iterator[_Edit]:
    yield lambda n: _with(n, test=ast.Constant(True))
    yield lambda n: _with(n, test=ast.Constant(False))


def _filter(node: ast.comprehension) -> Iterator[_Edit]:
    for number in range(len(node.ifs)):
        yield lambda n, i=number: _with(n, ifs=n.ifs[:i] + n.ifs[i + 1 :])


def _answer(node: ast.Return) -> Iterator[_Edit]:
    if node.value is not None:
        yield lambda n: ast.Return(ast.Constant(None))


def _left_out(node: ast.Expr | ast.Assign) -> Iterator[_Edit]:
    effect = isinstance(node, ast.Expr) or not isinstance(node.targets[0], ast.Name)
    if effect:
        yield lambda n: ast.Pass()


def _jump(_node: ast.Continue | ast.Break) -> Iterator[_Edit]:
    yield lambda n: ast.Break() if isinstance(n, ast.Continue) else ast.Continue()


def _with(node: Any, **fields: Any) -> Any:
    for name, value in fields.items():
        setattr(node, name, value)
    return node


EDITS: dict[type[ast.AST], Callable[[Any], Iterator[_Edit]]] = {
    ast.Compare: _compare, ast.BinOp: _operation, ast.AugAssign: _operation, ast.BoolOp: _logic,
    ast.UnaryOp: _sign, ast.Constant: _constant, ast.Call: _call, ast.IfExp: _either,
    ast.If: _branch, ast.comprehension: _filter, ast.Return: _answer, ast.Expr: _left_out,
    ast.Assign: _left_out, ast.Delete: _left_out, ast.Continue: _jump, ast.Break: _jump,
}  # fmt: skip
