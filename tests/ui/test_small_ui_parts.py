"""Logic of the ui that needs no page."""

import pytest

from data.expression import ExpressionError
from ui import blocks, figures, filters, page_list, texts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b", "a\\_b"),
        (":red[x]", "\\:red\\[x\\]"),
        ("`x` <b>", "\\`x\\` \\<b\\>"),
        ("é ok", "é ok"),
    ],
)
def test_text_of_a_user_is_no_markup(text, shown):
    assert texts.escaped(text) == shown


def test_a_long_name_is_cut_with_an_ellipsis():
    assert texts.short("abcdef", 4) == "abc…"
    assert texts.short("abcd", 4) == "abcd"


def test_a_second_condition_binds_the_first_together():
    assert filters.both("a > 1 or b > 2", "c > 3") == "(a > 1 or b > 2) and c > 3"
    assert filters.both("", "c > 3") == "c > 3"


@pytest.mark.parametrize(
    ("text", "position", "mended"),
    [("e2e_mss > 1", 0, "e2e_ms > 1"), ("1 < e2e_mss", 4, "1 < e2e_ms")],
)
def test_a_suggestion_replaces_the_word_at_its_position(text, position, mended):
    error = ExpressionError("a column", "no such column", position, "e2e_ms")
    assert blocks._mended(text, error) == mended


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        ({}, None), ({"points": []}, None), ({"points": [{"id": "g:access"}]}, "g:access"),
        ({"points": [{"customdata": ["decode", "x"]}]}, "decode"),
        ({"points": [{"customdata": ["", "12 more"]}]}, None),
    ],
)  # fmt: skip
def test_a_click_says_what_was_clicked(selection, found):
    assert figures.clicked(selection) == found


def test_a_drag_has_two_ends_along_each_axis():
    selection = {"box": [{"x": [1, 5], "y": [7, 2]}]}
    assert figures.boxed(selection) == (1, 5)
    assert figures.boxed(selection, "y") == (7, 2)
    assert figures.boxed({"box": []}) is None


def test_an_axis_instant_is_read_in_the_readers_zone():
    assert figures.instant_ns("1970-01-01 01:00:00.25", "Europe/Berlin") == 250_000_000


def test_pages_have_paths_of_their_own_and_scripts_that_exist():
    paths = [page.url_path for page in page_list.PAGES]
    assert len(set(paths)) == len(paths)
    assert all(page.path.is_file() for page in page_list.PAGES)
