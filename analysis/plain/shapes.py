"""Attribute texts by what they have in common: the same keys and words, other numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from analysis.plain.compiled import inner, kernel
from analysis.plain.scanning import (
    BRACKET,
    CLOSE,
    COMMA,
    MINUS,
    OPEN,
    QUOTE,
    figure,
    key_end,
    list_end,
    literal_end,
    string_end,
)  # fmt: skip

Ints = Any  # numpy int64 array
Bytes = Any  # numpy uint8 array

_ANY, _NUMBER, _WORD = range(3)  # what of a key's value matters: that it is there, see `Shapes`
_SLOTS = 4_096  # of the table of keys, far more than there are
_NAMELESS, _ZERO, _OTHER, _DOUBT = 1, 2, 3, 4  # written instead of a value; no JSON text has them
_STRING, _FIGURE, _LITERAL, _LIST = range(4)


class Shapes(NamedTuple):
    """Texts by shape: texts of one shape differ in numbers, and in values that nobody asks for.

    `shape` numbers the shape of each text and `sample` is a text of each shape. The numbers of text
    i, of keys whose numbers are asked for, are `first[i]` to `first[i + 1]`, in the order of the
    keys: `digits / 10 ** scale`. `odd` is True for a shape of one text with something that is left
    to the json module: it has no numbers here, and need not be written as `encoded` would write it.
    """

    shape: Ints
    sample: Ints
    odd: Any
    first: Ints
    digits: Ints
    scale: Ints


class Keys(NamedTuple):
    """Keys whose values matter, as a table of hashes."""

    slots: Ints
    raw: Bytes
    edges: Ints
    kind: Ints


def known_keys(numbers: Iterable[str], words: Iterable[str]) -> Keys:
    """Keys of which the number matters, and keys whose value matters as it stands."""
    kinds = dict.fromkeys(numbers, _NUMBER) | dict.fromkeys(words, _WORD)
    texts = [key.encode() for key in kinds]
    slots = np.full(_SLOTS, -1, np.int64)
    for number, text in enumerate(texts):
        raw = np.frombuffer(text, np.uint8)
        at = _hash(raw, 0, len(raw))
        while slots[at] >= 0:
            at = (at + 1) % _SLOTS
        slots[at] = number
    edges = np.cumsum([0] + [len(text) for text in texts])
    raw = np.frombuffer(b"".join(texts) or b"\0", np.uint8)
    return Keys(slots, raw, edges, np.array([*kinds.values(), _ANY], np.int64))


def shapes(texts: Any, keys: Keys) -> Shapes:
    """The shapes of distinct texts (an Arrow string array)."""
    count = len(texts)
    edges = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset :][: count + 1]
    raw = np.frombuffer(texts.buffers()[2] or b"\0", np.uint8)
    size = int(edges[-1] - edges[0]) if count else 0
    masked, masked_edges = np.empty(size + count + 1, np.uint8), np.zeros(count + 1, np.int32)
    first, numbers = np.zeros(count + 1, np.int64), np.empty((2, size // 4 + 1), np.int64)
    used = _mask_all(raw, edges, keys, masked, masked_edges, first, numbers)
    buffers = [None, pa.py_buffer(masked_edges), pa.py_buffer(masked[: masked_edges[-1]])]
    found = pa.Array.from_buffers(pa.binary(), count, buffers).dictionary_encode()
    shape = found.indices.to_numpy().astype(np.int64)
    sample = np.empty(len(found.dictionary), np.int64)
    sample[shape[::-1]] = np.arange(count)[::-1]
    odd = masked[masked_edges[:-1][sample]] == _DOUBT
    return Shapes(shape, sample, odd, first, *numbers[:, :used])


def apart(found: Shapes, mixed: Any) -> Shapes:
    """The same with a shape of its own, and an odd one, for each text of the shapes `mixed`."""
    texts = np.flatnonzero(mixed[found.shape])
    shape = found.shape.copy()
    shape[texts] = len(mixed) + np.arange(len(texts))
    odd = np.concatenate([found.odd, np.ones(len(texts), np.bool_)])
    return found._replace(shape=shape, sample=np.concatenate([found.sample, texts]), odd=odd)


@kernel
def _hash(raw: Bytes, at: int, end: int) -> int:
    value = 2_166_136_261
    for place in range(at, end):
        value = ((value ^ raw[place]) * 16_777_619) & 0xFFFFFFFF
    return (value ^ (value >> 15)) % _SLOTS


@inner
def _kind(raw: Bytes, at: int, end: int, keys: Keys) -> int:
    """What of the value matters whose key stands there."""
    slot = _hash(raw, at, end)
    while keys.slots[slot] >= 0:
        number = keys.slots[slot]
        low = keys.edges[number]
        if keys.edges[number + 1] - low == end - at:
            same = True
            for place in range(end - at):
                if raw[at + place] != keys.raw[low + place]:
                    same = False
                    break
            if same:
                return int(keys.kind[number])
        slot = (slot + 1) % _SLOTS
    return _ANY


@kernel
def _mask_all(
    raw: Bytes, edges: Ints, keys: Keys, masked: Bytes, masked_edges: Ints, first: Ints,
    numbers: Ints,
) -> int:  # fmt: skip
    to, used = 0, 0
    for text in range(len(edges) - 1):
        at, end = edges[text], edges[text + 1]
        done, more = _mask(raw, at, end, keys, masked, to, numbers, used)
        if done < 0:
            masked[to] = _DOUBT
            for place in range(at, end):
                masked[to + 1 + place - at] = raw[place]
            done, more = to + 1 + end - at, used
        to, used = done, more
        masked_edges[text + 1], first[text + 1] = to, used
    return used


@kernel
def _mask(
    raw: Bytes, at: int, end: int, keys: Keys, masked: Bytes, to: int, numbers: Ints, used: int
) -> tuple[int, int]:
    """Write the shape of one text from `to` on; where it ends, or -1, and the numbers so far."""
    if end - at == 2 and raw[at] == OPEN and raw[at + 1] == CLOSE:
        return to, used
    more = end - at > 2 and raw[at] == OPEN
    while more:
        low = at + 1
        at = key_end(raw, low, end)
        if at < 0:
            break
        for place in range(low, at):
            masked[to + place - low] = raw[place]
        to, kind = to + at - low, _kind(raw, low + 1, at - 1, keys)
        to, at, used = _value(raw, at + 1, end, kind, masked, to, numbers, used)
        if at < 0 or at >= end:
            break
        if raw[at] == CLOSE and at == end - 1:
            return to, used
        more = raw[at] == COMMA
    return -1, used


@inner
def _value(
    raw: Bytes, at: int, end: int, kind: int, masked: Bytes, to: int, numbers: Ints, used: int
) -> tuple[int, int, int]:
    """Write what matters of the value at `at`; where the shape, the value and the numbers end."""
    low, char, what, digits, scale = at, raw[at], _STRING, 0, 0
    if char == QUOTE:
        at = string_end(raw, at, end)
    elif char == MINUS or 48 <= char <= 57:
        what = _FIGURE
        at, digits, scale = figure(raw, at, end)
    elif char == BRACKET:
        what, at = _LIST, list_end(raw, at, end)
    else:
        what, at = _LITERAL, literal_end(raw, at, end)
    if kind == _ANY:
        masked[to] = _NAMELESS
        return to + 1, at, used
    if kind == _NUMBER and what == _FIGURE:
        if scale < 0:
            return to, -1, used
        masked[to] = _ZERO if digits == 0 else _OTHER
        numbers[0, used], numbers[1, used] = digits, scale
        return to + 1, at, used + 1
    for place in range(low, at):
        masked[to] = raw[place]
        to += 1
    return to, at, used
