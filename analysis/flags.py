"""Every doubt that can be attached to a span or a request, and what it does to the figures."""

from typing import Final

FLAGS: Final[dict[str, str]] = {
    "unit_inferred": "repaired",
    "duplicate_key": "repaired",
    "conflicting_duplicate": "chosen",
    "partial_record": "repaired",
    "shared_id": "noted",
    "parent_cycle": "repaired",
    "root_remote": "noted",
    "parent_missing": "repaired",
    "root_missing": "excluded",
    "incomplete": "bound",
    "negative_duration": "repaired",
    "skew_corrected": "repaired",
    "skew_over_limit": "noted",
    "ended_at_headers": "repaired",
    "root_ended_early": "repaired",
    "parent_ended": "repaired",
    "outlives_parent": "not_waited_for",
    "follows_from": "not_waited_for",
    "messaging": "not_waited_for",
    "linked_only": "not_waited_for",
    "no_ancestor_running": "not_waited_for",
    "outside_parent": "clipped",
    "stage_sum_mismatch": "noted",
    "first_token_at_end": "left_out",
    "first_token_outside_span": "left_out",
    "first_token_invalid": "left_out",
    "chunk_gaps": "noted",
    "not_nested": "noted",
    "overlapping_siblings": "noted",
}
"""Flag -> its effect: repaired, chosen, noted, clipped, bound (a lower bound), not_waited_for,
left_out (of TTFT figures) or excluded (from percentiles and SLO counts)."""


def excludes(root_flags: dict[str, int | None]) -> bool:
    """Whether a request with these flags on its root is left out of percentiles."""
    return "root_missing" in root_flags or "incomplete" in root_flags
