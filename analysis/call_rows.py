"""A model call as a row of `calls`."""

from __future__ import annotations

from typing import Any

from analysis.json_text import encoded
from analysis.staging.model_calls import Call, reported, sources
from analysis.staging.token_gaps import gap_columns


def emitter(call: Call) -> str | None:
    """Whose marks were read."""
    rule = call.span.rule
    return (rule.emitter or None) if rule is not None else None


def call_row(call: Call, on_path: bool, answer: bool) -> dict[str, Any]:
    """The columns of a call beside those that name it."""
    span = call.span
    return {
        "model": call.model,
        "emitter": emitter(call),
        "streaming": True if call.streams else call.streaming,
        "start_ns": span.start,
        "end_ns": span.end,
        "queue_ns": call.stage_ns.get("request_queue"),
        "prefill_ns": call.stage_ns.get("prefill"),
        "first_token_ns": None if call.first_token is None else call.first_token - span.start,
        "decode_ns": call.stage_ns.get("decode"),
        "input_tokens": call.usage.input,
        "cached_tokens": call.usage.cached,
        "output_tokens": call.usage.output,
        **gap_columns(call.gaps),
        "on_path": on_path,
        "answer": answer,
        "marks": encoded(sources(call)),
        "reported": encoded(reported(call)),
    }
