"""The scope row under the navigation: which requests, by which measure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import streamlit as st

from data.filters import Filters
from services.scope import DEFAULT_SLO_MS, OBJECTIVES, Scope
from ui import address, answers, look, page_list, share
from ui.texts import escaped, short
from words import _, fmt, labels, ngettext, page_labels, times

COLUMNS: Final = ("model", "service", "route", "version", "status")
PILLS_AT_MOST: Final = 12
CHIPS_AT_MOST: Final = 3
MINUTE_NS: Final = 60_000_000_000
EXAMPLES: Final = (
    "request_queue_ms > 200",
    "ttft_ms > 1000 and output_tokens > 100",
    "status = 'error' or retries_backoff_ms > 0",
)


def scope(objectives: tuple[str, ...] = OBJECTIVES) -> Scope:
    """Draw the scope row and return what it says; every value of it stands in the address."""
    address.begin()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        sets = _data_sets()
        start_ns, end_ns = _time(sets)
        _columns(sets)
        _chips()
        if _only_sample() and len(_active()) < 2:
            st.page_link(page_list.link("sources.py"), label=_("Use your own"),
                         icon=":material/arrow_forward:", icon_position="right")  # fmt: skip
        st.space("stretch")
        objective = _objective(objectives)
        slo_ms = _slo(objective)
        made = Filters(
            data_sets=sets,
            start_ns=start_ns,
            end_ns=end_ns,
            flag=address.value("flag"),
            expression=address.value("where") or "",
            models=tuple(address.values("model")),
            services=tuple(address.values("service")),
            routes=tuple(address.values("route")),
            versions=tuple(address.values("version")),
            statuses=tuple(address.values("status")),
        )
        said = Scope(made, objective, slo_ms)
        share.menu(said)
    return said


def show_only(data_sets: list[int]) -> None:
    """Let the next page show these data sets and nothing filtered away."""
    clear()
    address.put("data", [str(number) for number in data_sets])


def none_active() -> bool:
    """Whether nothing is filtered away, by no data set, time or column."""
    return not _active() and not any(address.value(n) for n in ("data", "range", "since", "until"))


def clear() -> None:
    """Take every filter off."""
    for name in ("data", *COLUMNS, "where", "flag", "range", "since", "until"):
        address.put(name, None)


def narrow_time(start_ns: int, end_ns: int) -> None:
    """Narrow the time to a range, as a drag over a chart does, and run the page again."""
    _set_time(start_ns, end_ns)
    st.rerun()


def narrow(start_ns: int, end_ns: int, condition: str) -> None:
    """Narrow the time, and the requests by one more condition; run the page again."""
    _set_time(start_ns, end_ns)
    address.put("where", both(address.value("where"), condition))
    st.rerun()


def _set_time(start_ns: int, end_ns: int) -> None:
    second = 1_000_000_000
    address.put("range", None)
    address.put("since", start_ns // second * second)
    address.put("until", -(-end_ns // second) * second)


def both(before: str | None, condition: str) -> str:
    """Two conditions that must both hold.

    >>> both("a > 1 or b > 2", "c > 3"), both("", "c > 3")
    ('(a > 1 or b > 2) and c > 3', 'c > 3')
    """
    return f"({before}) and {condition}" if before else condition


def _data_sets() -> tuple[int, ...]:
    known = {str(row["import_id"]): row["name"] for row in answers.data_sets() if not row["hidden"]}
    picked = address.values("data")
    names = {key: known.get(key, _("{number} (deleted)").format(number=key)) for key in picked}
    options = list(dict.fromkeys([*list(known)[:PILLS_AT_MOST], *picked]))
    whole = _("Sample data") if _only_sample() else _("All data")
    shown = " + ".join(names[key] for key in picked[:2]) if picked else whole
    more = f" + {len(picked) - 2}" if len(picked) > 2 else ""
    with st.popover(escaped(f"{short(shown, 28)}{more}"), icon=":material/database:"):
        chosen = st.pills(
            _("Data sets; none chosen means all"),
            options,
            selection_mode="multi",
            format_func=lambda key: escaped(f"{short((known | names)[key], 40)} · {key}"),
            default=picked,
            key=address.key("data"),
            wrap=True,
        )
    address.keep("data", list(chosen))
    return tuple(int(key) for key in chosen)


def _only_sample() -> bool:
    return any(row["sample"] and not row["hidden"] for row in answers.data_sets())


def _time(sets: tuple[int, ...]) -> tuple[int | None, int | None]:
    found = answers.query("time_range", Filters(data_sets=sets)).iloc[0]
    if not int(found["n"]):
        return None, None
    first, last = int(found["start_ns"]), int(found["end_ns"])
    start_ns, end_ns = _range(last)
    shown = times.time_range(start_ns or first, end_ns or last, look.zone())
    with st.popover(shown, icon=":material/schedule:"):
        names = page_labels.time_ranges()
        newest = st.pills(
            _("Newest"), list(address.RANGES), default=address.value("range"),
            key=address.key("range"), format_func=names.__getitem__,
        )  # fmt: skip
        address.keep("range", newest)
        _moment(_("From"), "since")
        _moment(_("Until"), "until")
        st.caption(_("Times in {zone}").format(zone=look.zone()))
    return _range(last)


def _moment(label: str, name: str) -> None:
    """An input to the minute that leaves a finer instant alone until it is changed."""
    before = address.value(name)
    floor = None if before is None else _wall(before // MINUTE_NS * MINUTE_NS)
    chosen = st.datetime_input(label, value=floor, key=address.key(name), step=60)
    if chosen != floor:
        address.keep(name, instant_ns(chosen))


def _wall(ns: int) -> datetime:
    zone = ZoneInfo(look.zone())
    return datetime.fromtimestamp(ns // 1_000_000_000, tz=zone).replace(tzinfo=None)


def instant_ns(chosen: datetime | None) -> int | None:
    """The reader's wall clock as ns since the epoch."""
    if chosen is None:
        return None
    local = chosen if chosen.tzinfo else chosen.replace(tzinfo=ZoneInfo(look.zone()))
    since_epoch = local.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return since_epoch // timedelta(microseconds=1) * 1000


def _range(last_ns: int) -> tuple[int | None, int | None]:
    since, until = address.value("since"), address.value("until")
    if since is None and until is None and (span := address.value("range")):
        return last_ns - address.RANGES[span] * MINUTE_NS, None
    return since, until


def _columns(sets: tuple[int, ...]) -> None:
    facets = answers.query("facets", Filters(data_sets=sets))
    active = len(_active())
    label = _("Filters") + (f" · {active}" if active else "")
    with st.popover(label, icon=":material/filter_list:", width="content"):
        for name in COLUMNS:
            _pills(name, facets[facets["facet"] == name])
        _flag_pills(sets)
        _expression()


def _pills(name: str, facet: Any) -> None:
    counts = dict(zip(facet["value"].astype(str), facet["n"], strict=True))
    picked = address.values(name)
    options = list(dict.fromkeys([*list(counts)[:PILLS_AT_MOST], *picked]))
    if len(options) < 2 and not picked:
        return
    chosen = st.pills(
        page_labels.column(name),
        options,
        selection_mode="multi",
        format_func=lambda v: f"{escaped(short(v, 40))} · {fmt.count(int(counts.get(v, 0)))}",
        default=picked,
        key=address.key(name),
        wrap=True,
    )
    address.keep(name, list(chosen))


def _flag_pills(sets: tuple[int, ...]) -> None:
    counts = answers.query("flag_counts", Filters(data_sets=sets))
    picked = address.value("flag")
    options = list(dict.fromkeys([*list(counts["flag"])[:PILLS_AT_MOST], *filter(None, [picked])]))
    if options:
        chosen = st.pills(
            _("Flag"), options, default=picked, key=address.key("flag"),
            format_func=labels.flag, wrap=True,
        )  # fmt: skip
        address.keep("flag", chosen)


def _expression() -> None:
    chosen = st.text_input(
        _("Expression"), address.value("where") or "", key=address.key("where"),
        placeholder=EXAMPLES[0],
    )  # fmt: skip
    address.keep("where", chosen.strip())
    for number, example in enumerate(EXAMPLES):
        st.button(f"`{example}`", key=f"example-{number}", type="tertiary",
                  on_click=address.put, args=("where", example))  # fmt: skip


def _active() -> list[tuple[str, str, str]]:
    """Name, value and label of every filter that is on, the time and data sets aside."""
    found = [(name, v, v) for name in COLUMNS for v in address.values(name)]
    for name, label in (("where", str), ("flag", labels.flag)):
        if said := address.value(name):
            found.append((name, said, label(said)))
    return found


def _chips() -> None:
    active = _active()
    for name, said, label in active[:CHIPS_AT_MOST]:
        chip(name, said, short(label, 22 if len(active) > 1 else 36))
    if n := len(active[CHIPS_AT_MOST:]):
        st.caption(ngettext("+{n} more", "+{n} more", n).format(n=n), width="content")


def chip(name: str, said: str, label: str, place: str = "chip") -> None:
    """A filter that is on, as a button that takes it off."""
    st.button(
        escaped(label),
        key=f"{place}-{name}-{said}",
        type="tertiary",
        icon=":material/close:",
        icon_position="right",
        help=said if len(said) > len(label) else None,
        on_click=_drop,
        args=(name, said),
    )


def all_chips() -> None:
    """Every filter that is on, each with its cross."""
    for name, said, label in _active():
        chip(name, said, short(label, 60), "every")


def _drop(name: str, said: str) -> None:
    kept = address.value(name)
    address.put(name, [v for v in kept if v != said] if isinstance(kept, list) else None)


def _objective(objectives: tuple[str, ...]) -> str:
    before = address.value("objective")
    start = before if before in objectives else objectives[0]
    chosen = st.segmented_control(
        _("Objective"), objectives, default=start, required=True, key=address.key("objective"),
        format_func=labels.objective, label_visibility="collapsed",
    )  # fmt: skip
    said = str(chosen or start)
    if said != start:
        address.keep("objective", said)
    return said


def _slo(objective: str) -> float | None:
    name, standard = f"slo_{objective}", DEFAULT_SLO_MS[objective]
    said = address.value(name) or standard
    with st.popover(_("SLO {limit}").format(limit=fmt.plain(round(said * 1_000_000)))):
        chosen = st.number_input(
            _("SLO for {objective}, in ms").format(objective=labels.objective(objective)),
            min_value=1.0, value=float(said), step=5.0 if objective == "tpot" else 100.0,
            format="%.0f", key=address.key(name),
        )  # fmt: skip
        if objective == "tpot":
            st.caption(_("Mean time per output token after the first."))
    address.keep(name, None if not chosen or chosen == standard else float(chosen))
    return float(chosen) if chosen else None
