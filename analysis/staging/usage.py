"""Tokens, model and streaming of a model call, by the names of every emitter generation."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from analysis.staging.marks import attribute, decoded
from analysis.tree import Span

INPUT_KEYS: Final = (
    "gen_ai.usage.input_tokens",  # OpenTelemetry since 2024-10
    "gen_ai.usage.prompt_tokens",  # OpenTelemetry before; vLLM, SGLang
    "llm.token_count.prompt",  # OpenInference
    "llm.usage.prompt_tokens",  # OpenLLMetry, older
    "llm.usage.input_tokens",
    "ai.usage.inputTokens",  # Vercel AI SDK since 5
    "ai.usage.promptTokens",
    "vllm.usage.prompt_tokens",
    "_dd.llmobs.input_tokens",  # Datadog
    "usage.prompt_tokens",
    "prompt_tokens",
    "input_tokens",
    "prompt_eval_count",  # Ollama
    "ollama.prompt_eval_count",
    "response.prompt_eval_count",
    "response.usage.prompt_tokens",
)
CACHED_KEYS: Final = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.cached_tokens",  # vLLM
    "gen_ai.usage.input_tokens.cached",
    "gen_ai.usage.prompt_tokens_details.cached_tokens",
    "llm.token_count.prompt_details.cache_read",
    "llm.usage.cache_read_input_tokens",
    "ai.usage.inputTokenDetails.cacheReadTokens",
    "ai.usage.cachedInputTokens",
    "_dd.llmobs.cache_read_input_tokens",
    "prompt_tokens_details.cached_tokens",
    "usage.prompt_tokens_details.cached_tokens",
    "cache_read_input_tokens",
    "cached_tokens",
    "response.usage.prompt_tokens_details.cached_tokens",
    "timings.cache_n",  # llama.cpp
    "llamacpp.timings.cache_n",
    "response.timings.cache_n",
)
READ_KEYS: Final = (  # llama.cpp: the prompt's tokens that the cache did not hold
    "timings.prompt_n",
    "llamacpp.timings.prompt_n",
    "response.timings.prompt_n",
)
OUTPUT_KEYS: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
    "llm.usage.output_tokens",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
    "vllm.usage.completion_tokens",
    "_dd.llmobs.output_tokens",
    "usage.completion_tokens",
    "completion_tokens",
    "output_tokens",
    "eval_count",  # Ollama
    "ollama.eval_count",
    "response.eval_count",
    "response.usage.completion_tokens",
    "timings.predicted_n",  # llama.cpp
    "llamacpp.timings.predicted_n",
    "response.timings.predicted_n",
)
MODEL_KEYS: Final = (
    "gen_ai.response.model",
    "gen_ai.request.model",
    "llm.model_name",
    "llm.response.model",
    "llm.request.model",
    "ai.response.model",
    "ai.model.id",
    "langfuse.observation.model.name",
    "litellm.request.model",
    "openai.request.model",
    "vllm.request.model",
    "_dd.llmobs.model_name",
    "triton.model_name",
    "embedding.model_name",
    "reranker.model_name",
    "model_name",
    "model",
)
STREAM_KEYS: Final = (
    "gen_ai.request.stream",
    "gen_ai.is_streaming",
    "llm.is_streaming",
    "llm.request.stream",
    "gen_ai.request.is_stream",
    "vllm.is_streaming",
    "stream",
    "streaming",
)
_NO_NAME = ("", "unknown", "none", "null")
DETAILS: Final = "langfuse.observation.usage_details"  # one JSON object with all counts
_DETAIL_NAMES = {
    "input": ("input", "prompt_tokens", "input_tokens"),
    "cached": ("input_cached_tokens", "cache_read_input_tokens", "input_cache_read"),
    "output": ("output", "completion_tokens", "output_tokens"),
}


class Usage(NamedTuple):
    """Token counts, None where the emitter gives none."""

    input: int | None
    cached: int | None
    output: int | None


COUNT_KEYS: Final = frozenset((*INPUT_KEYS, *READ_KEYS, *CACHED_KEYS, *OUTPUT_KEYS))
"""Attribute keys of one token count each."""
WORD_KEYS: Final = frozenset((*MODEL_KEYS, *STREAM_KEYS, "ai.operationId", DETAILS))
"""Attribute keys of all else that is read here."""

_NAMED: Final = COUNT_KEYS | {DETAILS}
_MODELS: Final = frozenset(MODEL_KEYS)


def usage(span: Span) -> Usage:
    """The token counts of one model call."""
    carried = _NAMED & span.attributes.keys()
    if not carried:
        return Usage(None, None, None)
    given = decoded(span.attributes.get(DETAILS))
    details = given if isinstance(given, dict) else {}
    given_input = _tokens(span, carried, INPUT_KEYS, details, "input")
    cached = _tokens(span, carried, CACHED_KEYS, details, "cached")
    read = _tokens(span, carried, READ_KEYS, {}, "input")
    if given_input is None and read is not None:
        given_input = read + (cached or 0)
    return Usage(given_input, cached, _tokens(span, carried, OUTPUT_KEYS, details, "output"))


def _tokens(
    span: Span,
    carried: frozenset[str],
    keys: tuple[str, ...],
    details: dict[str, Any],
    name: str,
) -> int | None:
    for key in keys:
        number = count(span.attributes[key]) if key in carried else None
        if number is not None:
            return number
    if not details:
        return None
    counts = (count(details.get(detail)) for detail in _DETAIL_NAMES[name])
    return next((number for number in counts if number is not None), None)


def count(value: Any) -> int | None:
    """A count that is a number or a numeric text; a negative one means "unknown"."""
    if value is None or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if 0 <= number < 2**53 and number == int(number) else None


def model_name(span: Span) -> str | None:
    """The model that answered, else the one that was asked for."""
    carried = _MODELS & span.attributes.keys()
    for key in MODEL_KEYS if carried else ():
        name = str(span.attributes[key] or "").strip() if key in carried else ""
        if name.lower() not in _NO_NAME:
            return name
    return None


def streaming(span: Span) -> bool | None:
    """Whether the emitter says that the answer was streamed; None where it says nothing."""
    operation = str(span.attributes.get("ai.operationId", ""))
    if operation.endswith((".doStream", ".doGenerate")):
        return operation.endswith(".doStream")
    value = attribute(span, STREAM_KEYS)
    if value is None:
        return None
    return value if isinstance(value, bool) else str(value).lower() in ("true", "1")
