"""Instants and ranges in the viewer's zone."""

from words import times

AT = 1_773_304_927_318_999_999  # 2026-03-12 08:42:07.318999999 UTC
HOUR = 3_600_000_000_000


def test_an_instant_is_cut_to_its_unit_and_never_rounded_up():
    assert times.instant(AT, "Asia/Shanghai", this_year=2026) == "12 Mar 16:42:07.318"
    assert times.instant(AT, None, "s", this_year=2026) == "12 Mar 08:42:07"
    assert times.instant(AT, "UTC", "min", this_year=2026) == "12 Mar 08:42"


def test_the_year_stands_only_where_it_is_another():
    assert times.instant(AT, None, "min", this_year=2027) == "12 Mar 2026 08:42"


def test_a_range_names_the_day_once():
    one_day = times.time_range(AT, AT + 4 * HOUR, None, this_year=2026)
    assert one_day == "12 Mar 08:42 to 12:42"
    two_days = times.time_range(AT, AT + 20 * HOUR, None, this_year=2026)
    assert two_days == "12 Mar 08:42 to 13 Mar 04:42"
    short = times.time_range(AT, AT + 30_000_000_000, None, this_year=2026)
    assert short == "12 Mar 08:42:07 to 08:42:37"


def test_missing_instants_are_a_dash():
    assert times.instant(None, None) == "–"
    assert times.time_range(None, AT, None) == "–"


def test_instants_before_1970_stay_exact():
    assert times.instant(-1, None, this_year=1969) == "31 Dec 23:59:59.999"


def test_a_zone_is_named_by_its_offset():
    assert times.zone_name(AT, "Asia/Shanghai") == "UTC+8"
    assert times.zone_name(AT, "Asia/Kolkata") == "UTC+5:30"
    assert times.zone_name(AT, None) == "UTC"
