"""Stage rules of the user's own: what there is, what one would move, adding and deleting it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from analysis.rule_changes import rows as moves
from analysis.rules import Rule, RuleSet
from data import own_rules
from data.store import Store, Trial
from services import opening
from services.progress import Progress, Step, silent
from services.request_list import records
from services.rule_drafts import Draft, draft_of

_changing = threading.Lock()
_CONDITIONS: Final = (
    "name", "service", "kind", "status", "scope", "event", "server_child", "under_call",
    "call_below",
)  # fmt: skip


def listed(store: Store) -> list[dict[str, Any]]:
    """Every rule in the order in which it is tried, own ones first, with what it took."""
    counts = {row["rule"]: row for row in records(store.query("rule_counts"))}
    ours = {rule.id for rule in own_rules.ours().rules}
    return [_listed(rule, rule.id not in ours, counts.get(rule.id)) for rule in store.rules.rules]


def _listed(rule: Rule, own: bool, count: dict[str, Any] | None) -> dict[str, Any]:
    held = count or {"spans": 0, "requests": 0, "total_ns": 0}
    return {
        "id": rule.id, "stage": rule.stage, "role": rule.role, "own": own,
        "matches": _matches(rule), "source": rule.source, "spans": held["spans"],
        "requests": held["requests"], "total_ns": held["total_ns"],
    }  # fmt: skip


def _matches(rule: Rule) -> dict[str, Any]:
    told = {key: getattr(rule, key) for key in _CONDITIONS}
    told |= {key: dict(getattr(rule, key)) for key in ("attributes", "resource")}
    return {key: value for key, value in told.items() if value is not None and value != {}}


def unattributed(store: Store, limit: int | None = None) -> dict[str, Any]:
    """Span names whose time no rule gives a stage, most first: all, or the first `limit`.

    `share` is of the time of all requests; `absent` the part of spans that never arrived.
    """
    return names(records(store.query("unattributed_names", limit=2**62)), limit)


def names(rows: list[dict[str, Any]], limit: int | None = None) -> dict[str, Any]:
    """Rows of `unattributed_names` as an answer."""
    named = [row for row in rows if not row["absent"]]
    absent = [row for row in rows if row["absent"]]
    fields = ("name", "service", "spans", "requests", "total_ns", "share")
    return {
        "names": [{name: row[name] for name in fields} for row in named[:limit]],
        "total": len(named),
        "total_ns": sum(row["total_ns"] for row in rows),
        "share": sum(row["share"] or 0.0 for row in rows),
        "absent_ns": sum(row["total_ns"] for row in absent),
        "absent_share": sum(row["share"] or 0.0 for row in absent),
    }


def _now() -> tuple[Path, str, RuleSet]:
    """The user's file, what it says, and all rules by it."""
    path = opening.rules_path()
    text = own_rules.text_of(path)
    return path, text, own_rules.rules_of(text, path)


def edited(store: Store) -> bool:
    """Whether the file says something else than the rules in force: it was edited by hand."""
    return _now()[2].rules != store.rules.rules


def preview(
    store: Store, draft: Draft, most: int | None = None, progress: Progress = silent
) -> dict[str, Any]:
    """What a rule would move, were it saved; over more than `most` records in a sample.

    `matching` spans hold what it asks for, `spans` of them would be its own; `taken_by` counts
    the others by the rule above it that takes them.

    Raises:
        UserError: the draft, or the file that it would go into, is at fault.
    """
    path, text, rules = _now()
    row = draft.row({rule.id for rule in rules.rules})
    after = own_rules.rules_of(own_rules.appended(text, row), path)
    found = _tried(store, after, most, progress, row["id"])
    return {
        "rule": row, **_moved(found), "matching": found.takers.total(),
        "spans": found.takers.pop(row["id"], 0), "taken_by": dict(found.takers.most_common()),
    }  # fmt: skip


def preview_delete(store: Store, rule_id: str, most: int | None = None) -> dict[str, Any]:
    """What deleting a rule of one's own would move."""
    path, text, _rules = _now()
    after = own_rules.rules_of(own_rules.without(text, rule_id, path), path)
    return {"rule": {"id": rule_id}, **_moved(_tried(store, after, most, silent, rule_id))}


def _tried(store: Store, rules: RuleSet, most: int | None, progress: Progress, title: str) -> Trial:
    def told(done: int, total: int) -> None:
        progress(Step(title, "try", done, total))

    return store.try_rules(rules, most, told)


def _moved(found: Trial) -> dict[str, Any]:
    """Requests and ns that change their stage, of `tried` of the `traces` that can."""
    return {
        "requests": found.moved.requests, "moved_ns": found.moved.total_ns,
        "moves": moves(found.moved), "traces": found.traces, "tried": found.tried,
    }  # fmt: skip


def save(store: Store, draft: Draft, progress: Progress = silent) -> dict[str, Any]:
    """Append the rule to the file and derive what it touches; both or neither.

    Raises:
        UserError: as `preview`; or the file was edited meanwhile, or cannot be written.
    """
    with _changing:
        path, text, rules = _now()
        row = draft.row({rule.id for rule in rules.rules})
        derived = _change(store, path, text, own_rules.appended(text, row), row["id"], progress)
    return {"rule": row, "derived": derived, "path": str(path)}


def remove(store: Store, rule_id: str, progress: Progress = silent) -> dict[str, Any]:
    """Take a rule of one's own out of the file and derive what it touched; both or neither."""
    with _changing:
        path, text, _rules = _now()
        rest = own_rules.without(text, rule_id, path)
        derived = _change(store, path, text, rest, rule_id, progress)
    return {"rule": {"id": rule_id}, "derived": derived, "path": str(path)}


def read_again(store: Store, progress: Progress = silent) -> dict[str, Any]:
    """Work by the file as it stands now, edited by hand."""
    with _changing:
        path, _text, rules = _now()
        return {"derived": store.change_rules(rules, _deriving(path.name, progress))}


def _change(
    store: Store, path: Path, before: str, after: str, title: str, progress: Progress
) -> int:
    rules = own_rules.rules_of(after, path)

    def keep() -> None:
        own_rules.write(path, after, before)

    return store.change_rules(rules, _deriving(title, progress), keep)


def _deriving(title: str, progress: Progress) -> Any:
    return lambda done, total: progress(Step(title, "derive", done, total))


def add(store: Store, params: Mapping[str, Any], progress: Progress = silent) -> dict[str, Any]:
    """The answer of `slowpath rules add`: what moves, and that it is saved unless `dry_run`."""
    draft = draft_of(params)
    found = preview(store, draft, progress=progress)
    if params.get("dry_run"):
        return {**found, "saved": False, "path": str(opening.rules_path())}
    return {**found, **save(store, draft, progress), "saved": True}


def delete(store: Store, params: Mapping[str, Any], progress: Progress = silent) -> dict[str, Any]:
    """The answer of `slowpath rules delete`."""
    rule_id = str(params.get("id") or "")
    found = preview_delete(store, rule_id)
    return {**found, **remove(store, rule_id, progress), "deleted": True}
