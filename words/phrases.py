"""Small parts of sentences: percentiles, efforts, first letters."""

from collections.abc import Sequence

from words import _, ngettext


def percentile(which: int | str) -> str:
    """`p95` of 95 or "p95"; `the median` of 50."""
    name = f"p{which}" if isinstance(which, int) else which
    return {"p50": _("the median"), "tail": _("the slowest tenth")}.get(name, name)


def started(phrase: str) -> str:
    """The phrase as a sentence starts: first letter upper case."""
    return phrase[:1].upper() + phrase[1:]


def lowered(title: str) -> str:
    """A title inside a sentence; a word that is an acronym keeps its capitals."""
    first = title.split(" ", 1)[0]
    return title if first[1:] != first[1:].lower() else title[:1].lower() + title[1:]


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def days(effort: float | Sequence[float]) -> str:
    """An effort: `0.5 to 2 days`, `1 day`."""
    parts = sorted(set(effort)) if isinstance(effort, Sequence) else [effort]
    last = parts[-1]
    if len(parts) > 1:
        return _("{low} to {high} days").format(low=_number(parts[0]), high=_number(last))
    return ngettext("{count} day", "{count} days", 1 if last <= 1 else 2).format(
        count=_number(last)
    )
