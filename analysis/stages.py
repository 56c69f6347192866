"""The stages that own time, their groups, and the order in which both are shown."""

from typing import Final

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "client": ("client_network", "client_render"),
    "access": ("cdn_edge", "api_gateway", "auth_rate_limit"),
    "scheduling": ("request_queue", "routing", "autoscale_cold_start"),
    "runtime": (
        "mesh_sidecar",
        "internal_network",
        "connection_setup",
        "external_network",
        "pod_gpu_runtime",
    ),
    "observability": ("observability_export",),
    "control": ("guardrails", "circuit_breaking", "retries_backoff"),
    "application": (
        "app_logic",
        "retrieval",
        "tools",
        "datastore",
        "tokenize_detokenize",
        "pre_post_processing",
    ),
    "inference": ("prefill", "decode", "kv_transfer", "embedding_rerank", "model"),
    "unattributed": ("unattributed",),
}
"""Group id -> its stage ids, both in product order."""

STAGES: Final[tuple[str, ...]] = tuple(stage for stages in GROUPS.values() for stage in stages)
"""Every stage id, in product order."""

STAGE_NUMBER: Final[dict[str, int]] = {stage: number for number, stage in enumerate(STAGES)}
"""Stage id -> its place among them."""

GROUP_OF: Final[dict[str, str]] = {
    stage: group for group, stages in GROUPS.items() for stage in stages
}

HARNESS: Final[tuple[str, ...]] = ("access", "scheduling", "runtime", "observability", "control")
"""The groups that together are the harness."""


def stage_columns(prefix: str = "") -> list[str]:
    """The names of the per-stage columns of `requests`: `decode_ns`, or `ttft_decode_ns`."""
    return [f"{prefix}{stage}_ns" for stage in STAGES]
