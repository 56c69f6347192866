"""The palette is held to its figures: apart for every eye, and dark enough on its ground."""

import tomllib
from itertools import combinations

import pytest
from colour_maths import VISION, ciede2000, contrast, lab
from conftest import ROOT

from analysis.stages import GROUPS, STAGES
from charts.contrast import on, tint
from charts.theme import DARK, LIGHT, theme

MODES = pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
ORDER = ["inference", "scheduling", "application", "client", "access", "control", "runtime",
         "observability", "unattributed"]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0),
        ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_agrees_with_the_published_pairs(one, other, distance):
    assert ciede2000(one, other) == pytest.approx(distance, abs=1e-4)
    assert ciede2000(other, one) == pytest.approx(distance, abs=1e-4)


@MODES
@pytest.mark.parametrize("vision", VISION)
def test_groups_are_told_apart_with_every_colour_vision(look, vision):
    seen = {group: lab(colour, vision) for group, colour in look.groups.items()}
    for one, other in combinations(seen, 2):
        assert ciede2000(seen[one], seen[other]) >= 13, (one, other)


@MODES
@pytest.mark.parametrize("vision", VISION)
def test_shades_of_a_group_are_told_apart(look, vision):
    for stages in GROUPS.values():
        for one, other in combinations(stages, 2):
            apart = ciede2000(lab(look.stage(one), vision), lab(look.stage(other), vision))
            assert round(apart, 1) >= 5.8, (one, other)


@MODES
def test_every_mark_stands_out_from_the_ground(look):
    for name, colour in {**look.groups, **look.stages}.items():
        assert contrast(colour, look.bg) >= 3, name


@MODES
def test_text_is_readable_on_marks_and_beside_them(look):
    for colour in (*look.groups.values(), *look.stages.values()):
        assert contrast(on(colour), colour) >= 4.58
    for colour in (look.ink, look.soft, look.accent, look.good, look.bad, look.warn):
        assert contrast(colour, look.bg) >= 4.5


@MODES
def test_every_stage_has_its_own_colour_and_leads_with_its_groups(look):
    assert set(look.stages) == set(STAGES)
    assert len(set(look.stages.values())) == len(STAGES)
    assert set(look.groups) == set(GROUPS)
    for group, stages in GROUPS.items():
        assert look.groups[group] in {look.stage(stage) for stage in stages}
    assert look.stage("a_users_own") == look.groups["unattributed"]


@MODES
def test_streamlit_is_given_the_same_colours(look):
    told = CONFIG["dark" if look.dark else "light"]
    assert told["chartCategoricalColors"] == [look.groups[group] for group in ORDER]
    assert told["chartSequentialColors"] == list(look.sequential)
    pairs = {"backgroundColor": look.bg, "secondaryBackgroundColor": look.card,
             "textColor": look.ink, "borderColor": look.rule}  # fmt: skip
    assert {name: told[name] for name in pairs} == pairs


def test_the_mode_chooses_the_theme_and_tints_are_plotlys():
    assert theme(True) is DARK
    assert theme(False) is LIGHT
    assert tint("#ff8000", 0.45) == "rgba(255,128,0,0.45)"


def test_no_other_chart_module_names_a_colour():
    import re

    for path in sorted((ROOT / "charts").glob("*.py")):
        if path.name not in ("theme.py", "contrast.py"):
            assert not re.search(r"#[0-9a-fA-F]{6}\b", path.read_text(encoding="utf-8")), path.name
