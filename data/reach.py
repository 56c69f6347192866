"""Which stored traces a change of the rules can touch."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import pyarrow as pa

from analysis.parsing import parsed_events
from analysis.rule_changes import Reach
from analysis.rules import Rule
from data.sql_files import step

_ROWS: Final = 20_000
_PLAIN: Final = re.compile(r"[\w.:/ -]+", re.ASCII)
"""Keys that every writer of JSON spells alike."""

_SHAPE: Final = ("name", "service", "kind", "status", "scope")


def reach(cursor: Any, rules: Iterable[Rule]) -> int:
    """Leave in the temporary table `reached` the traces with a span that a rule may take.

    Returns how many they are. A trace that is not among them is derived alike with and without
    these rules (`analysis.rule_changes.changed`); one that is may be, too.
    """
    found = Reach(rules)
    if found.everything:
        cursor.execute(step("reach_all"))
    else:
        _shapes(cursor, found)
        _resources(cursor, found)
        _carried(cursor, found)
        cursor.execute(step("reach"), {"needs": found.needs})
    return int(cursor.execute("SELECT count(*) FROM reached").fetchall()[0][0])


def _table(cursor: Any, name: str, columns: dict[str, Any]) -> None:
    cursor.register("given", pa.table(columns))
    cursor.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM given")
    cursor.unregister("given")


def _shapes(cursor: Any, found: Reach) -> None:
    """`shape_bits`: what holds by name, service, kind, status and scope."""
    names = ", ".join(_SHAPE)
    every = cursor.execute(f"SELECT DISTINCT {names} FROM records").fetchall()  # noqa: S608
    told = [(shape, found.matcher.shape_bits(shape)) for shape in every]
    held = [(shape, bits) for shape, bits in told if bits]
    columns: dict[str, Any] = {
        name: pa.array([shape[place] for shape, _bits in held], pa.string())
        for place, name in enumerate(_SHAPE)
    }
    bits = pa.array([bits for _shape, bits in held], pa.int64())
    _table(cursor, "shape_bits", {**columns, "bits": bits})


def _resources(cursor: Any, found: Reach) -> None:
    """`resource_bits`: what holds by the resource."""
    texts = []
    if found.resource_keys:
        texts = cursor.execute("SELECT DISTINCT resource FROM records").fetchall()
    told = [(text, found.matcher.resource_bits(json.loads(text))) for (text,) in texts]
    held = [(text, bits) for text, bits in told if bits]
    resources = pa.array([text for text, _bits in held], pa.string())
    bits = pa.array([bits for _text, bits in held], pa.int64())
    _table(cursor, "resource_bits", {"resource": resources, "bits": bits})


def _carried(cursor: Any, found: Reach) -> None:
    """`carried_bits`: what holds by the attributes and the events of single records."""
    places: list[int] = []
    held: list[int] = []
    if found.attribute_keys:
        keys = found.attribute_keys
        asked = [f'"{key}"' for key in keys] if all(map(_PLAIN.fullmatch, keys)) else [""]
        _read(cursor, "attributes", asked, lambda text: _attributes(found, text), (places, held))
    if found.events:
        _read(cursor, "events", [""], lambda text: _events(found, text), (places, held))
    columns = {"place": pa.array(places, pa.int64()), "bits": pa.array(held, pa.int64())}
    _table(cursor, "carried_bits", columns)


def _attributes(found: Reach, text: str) -> int:
    return found.matcher.attribute_bits(json.loads(text))


def _events(found: Reach, text: str) -> int:
    return found.matcher.event_bits(parsed_events(text))


def _read(
    cursor: Any,
    column: str,
    asked: list[str],
    bits_of: Callable[[str], int],
    into: tuple[list[int], list[int]],
) -> None:
    """Add the places and bits of the records whose text holds one of the words that are asked."""
    known: dict[str, int] = {}
    cursor.execute(step("carrying").format(column=column), {"asked": asked})
    while rows := cursor.fetchmany(_ROWS):
        for place, text in rows:
            bits = known.get(text)
            if bits is None:
                bits = known[text] = bits_of(text)
            if bits:
                into[0].append(place)
                into[1].append(bits)
        if len(known) > _ROWS:
            known.clear()
