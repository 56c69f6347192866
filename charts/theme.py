"""Every colour of the product, light and dark."""

from dataclasses import dataclass
from typing import Final

from analysis.stages import GROUP_OF

# a group's stages, the usual heavyweight first; the shade of each, light and dark
_SHADES: Final[dict[str, tuple[str, str, str]]] = {
    "inference": (
        "decode prefill model embedding_rerank kv_transfer",
        "3846c6 5167da 262d9e 6983f9 170880",
        "6098ff 80b4ff 4e7fd8 9ad0ff 3665bc",
    ),
    "scheduling": (
        "request_queue autoscale_cold_start routing",
        "b24b08 d17243 882f00",
        "df6214 fe8b52 b24600",
    ),
    "application": (
        "retrieval app_logic datastore tools pre_post_processing tokenize_detokenize",
        "a374e2 8c63c3 774eac 633995 50247f 3e0b6a",
        "8260b3 9577c4 ab8ddb c1a2f2 d7b9ff eecfff",
    ),
    "client": ("client_network client_render", "1aa587 008168", "88f4e8 6fcec3"),
    "access": (
        "api_gateway auth_rate_limit cdn_edge",
        "b98a3c 936a24 724b00",
        "fedb67 d6b852 b39529",
    ),
    "control": (
        "guardrails retries_backoff circuit_breaking",
        "3d3d13 5a5b36 7a7a54",
        "b0ae7a d2d1a1 8e8c5f",
    ),
    "runtime": (
        "internal_network connection_setup mesh_sidecar external_network pod_gpu_runtime",
        "2a6b4c 4b8366 175237 649d7e 003b22",
        "5c8763 79a07e 476d4e 92ba98 add6b2",
    ),
    "observability": ("observability_export", "63164a", "994a70"),
    "unattributed": ("unattributed", "6b6f75", "8b9097"),
}
_BLUES_LIGHT: Final = "dee8fd c4d4f6 a8beec 89a7e7 6e90dc 5479d0 3a61c4 284cac 1c3a8b 142b67"
_BLUES_DARK: Final = "18233c 213156 2a4072 344f8f 3e5fad 4e73c9 6288e1 80a3f0 a8c1f6 d4e2fd"


@dataclass(frozen=True)
class Theme:
    """The colours of one mode, each `#rrggbb`; `sequential` runs from few to many."""

    dark: bool
    bg: str
    card: str
    ink: str
    soft: str
    faint: str
    grid: str
    rule: str
    accent: str
    good: str
    bad: str
    warn: str
    groups: dict[str, str]
    stages: dict[str, str]
    sequential: tuple[str, ...]

    def stage(self, identifier: str) -> str:
        """A stage's colour; that of `unattributed` for one that is not ours."""
        return self.stages.get(identifier, self.groups["unattributed"])

    def group_of(self, stage: str) -> str:
        """The colour of a stage's group."""
        return self.groups[GROUP_OF.get(stage, "unattributed")]


def _hexes(text: str) -> list[str]:
    return [f"#{value}" for value in text.split()]


def _theme(dark: bool, blues: str, neutrals: str) -> Theme:
    shades = {group: _hexes(row[1 + dark]) for group, row in _SHADES.items()}
    stages = {
        stage: colour
        for group, row in _SHADES.items()
        for stage, colour in zip(row[0].split(), shades[group], strict=True)
    }
    groups = {group: row[0] for group, row in shades.items()}
    names = list(Theme.__annotations__)[1:12]
    colours = dict(zip(names, _hexes(neutrals), strict=True))
    return Theme(dark, **colours, groups=groups, stages=stages, sequential=tuple(_hexes(blues)))


LIGHT: Final = _theme(
    False, _BLUES_LIGHT,
    "ffffff f3f5f8 1b212b 5a6473 8b95a4 e8ebf0 dde2e9 1f3a5f 1a7f4b b42318 8a5a00",
)  # fmt: skip
DARK: Final = _theme(
    True, _BLUES_DARK,
    "12151b 1c2129 e6e9ee 9aa5b4 6f7a8a 232933 2e3540 a9c7f5 5fd08f ff8a80 f0b429",
)  # fmt: skip


def theme(dark: bool) -> Theme:
    """The colours of a mode."""
    return DARK if dark else LIGHT
