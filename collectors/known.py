"""What other files look like: each is refused by its name rather than with a riddle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from words import _


@dataclass(frozen=True)
class Look:
    """A file that is recognised and not read.

    Args:
        name: what it is called.
        keys: paths (`log.entries`, `annotations.0.endpoint`) that are all there.
        absent: paths of which none is there.
        aggregate: it holds figures over many requests and no request of its own.
    """

    name: str
    keys: tuple[str, ...]
    absent: tuple[str, ...] = ()
    aggregate: bool = False


LOOKS: Final = (
    Look("OTLP logs", ("resourceLogs",)),
    Look("OTLP profiles", ("resourceProfiles",)),
    Look("HAR (HTTP archive)", ("log.entries",)),
    Look("Chrome trace", ("traceEvents",)),
    Look("Chrome trace", ("ph", "ts", "pid")),
    Look("Chrome trace", ("ph", "pid", "name")),
    Look("Python OpenTelemetry console exporter", ("context.trace_id", "kind", "start_time")),
    Look("Phoenix spans", ("context.trace_id", "span_kind", "start_time")),
    Look("OpenTelemetry JS ReadableSpan dump", ("spanContext.traceId",)),
    Look("OpenTelemetry JS ReadableSpan dump", ("_spanContext.traceId",)),
    Look("Zipkin JSON, version 1", ("traceId", "id", "binaryAnnotations")),
    Look("Zipkin JSON, version 1", ("traceId", "id", "annotations.0.endpoint")),
    Look("Langfuse trace", ("trace.id", "observations")),
    Look("Langfuse trace", ("id", "projectId", "observations")),
    Look("Langfuse observations", ("id", "traceId", "type", "startTime")),
    Look("LangSmith runs", ("post.0.start_time",)),
    Look("LangSmith runs", ("patch.0.end_time",)),
    Look("LangSmith runs", ("run_type", "start_time", "id")),
    Look("AWS X-Ray segment", ("trace_id", "id", "start_time", "name"), ("context",)),
    Look("AWS X-Ray traces", ("Traces.0.Segments",)),
    Look("Datadog trace", ("trace_id", "span_id", "service", "resource")),
    Look("Datadog trace", ("trace_id", "span_id", "meta")),
    Look("Elastic APM intake", ("metadata.service.agent",)),
    Look("Elastic APM intake", ("transaction.id", "transaction.duration")),
    Look("Elastic APM intake", ("span.id", "span.transaction_id")),
    Look("Tempo search result", ("traces.0.rootServiceName",), aggregate=True),
    Look("OTLP span without ids and times", ("name", "kind", "attributes.0.key"), ("traceId",)),
    Look("LiteLLM standard logging payload", ("call_type", "custom_llm_provider", "startTime")),
    Look("AIPerf records", ("metadata.request_start_ns", "metrics")),
    Look("AIPerf summary", ("request_latency.unit", "request_latency.avg"), aggregate=True),
    Look("GuideLLM report", ("benchmarks", "metadata.guidellm_version")),
    Look("GuideLLM report", ("benchmarks.0.run_stats",)),
    Look("inference-perf report", ("load_summary", "successes"), aggregate=True),
    Look("LLMPerf responses", ("ttft_s", "end_to_end_latency_s")),
    Look("LLMPerf summary", ("num_concurrent_requests", "mean_input_tokens"), aggregate=True),
    Look("SGLang benchmark result", ("backend", "server_info", "dataset_name"), aggregate=True),
    Look("vLLM benchmark result", ("mean_ttft_ms", "request_throughput"), aggregate=True),
    Look("BurstGPT profile", ("first_chunk_time", "total_chunk_time")),
    Look("BurstGPT engine log", ("prompt_throughput", "num_running"), aggregate=True),
    Look("vLLM engine request trace", ("request_id", "first_token_ts")),
    Look("vLLM engine forward passes", ("fwd_id", "req_ids")),
    Look("workload trace (arrivals and lengths)", ("timestamp", "input_length", "output_length")),
    Look("Traefik access log", ("OriginDuration", "RequestPath")),
    Look("Envoy access log", ("response_flags", "upstream_host")),
    Look("Prometheus error answer", ("status", "errorType")),
    Look("Docker or container log", ("log", "stream", "time")),
)
"""Tried in order on the document, its first item, the first item of that, and its first value."""

_TEXTS: Final = (
    (re.compile(r"^\s*(<!doctype html|<html|<head|<body)", re.I), _("an HTML page")),
    (re.compile(r"^\s*<\?xml|^\s*<[a-z][\w:-]*[\s>]", re.I), _("XML")),
    (
        re.compile(r'^.{0,200}"(GET|POST|PUT|HEAD|DELETE|OPTIONS|PATCH) \S', re.M),
        _("an access log"),
    ),
    (re.compile(r"^\S+ (stdout|stderr) [FP] ", re.M), _("a container log")),
    (re.compile(r"^(event|data): ", re.M), _("a server-sent event stream")),
    (re.compile(r"^---\s*$|^apiVersion: ", re.M), _("YAML")),
    (re.compile(r"^[\w .-]+([,;\t][\w .%/-]+){1,}\s*$"), _("a CSV table")),
)
_BYTES: Final = (
    (b"\x89PNG", _("a PNG image")),
    (b"\xff\xd8\xff", _("a JPEG image")),
    (b"GIF8", _("a GIF image")),
    (b"%PDF", _("a PDF")),
    (b"PK\x03\x04", _("a zip archive; unpack it first")),
    (b"\x28\xb5\x2f\xfd", _("zstd-packed data; unpack it first")),
    (b"BZh", _("bzip2-packed data; unpack it first")),
    (b"\xfd7zXZ", _("xz-packed data; unpack it first")),
    (b"7z\xbc\xaf", _("a 7z archive; unpack it first")),
    (b"PAR1", _("a Parquet file")),
    (b"ARROW1", _("an Arrow file")),
    (b"SQLite format 3", _("an SQLite database")),
    (b"\x1f\x8b", _("gzip inside gzip inside gzip")),
    (b"\x7fELF", _("a program")),
)


def lookalike(document: Any) -> Look | None:
    """The first look that fits the document, None where it is unknown."""
    candidates = _candidates(document)
    for look in LOOKS:
        for candidate in candidates:
            if _fits(candidate, look):
                return look
    return None


def _candidates(document: Any) -> list[Any]:
    found = [document]
    for _level in range(2):
        inner = found[-1]
        if isinstance(inner, list) and inner:
            found.append(inner[0])
    if isinstance(document, dict) and document and all(key.isdecimal() for key in document):
        found.append(next(iter(document.values())))
    return [candidate for candidate in found if isinstance(candidate, dict)]


def _fits(candidate: Any, look: Look) -> bool:
    return all(_has(candidate, path) for path in look.keys) and not any(
        _has(candidate, path) for path in look.absent
    )


def _has(value: Any, path: str) -> bool:
    if isinstance(value, dict) and path in value:
        return True
    for step in path.split("."):
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return False
    return True


def described(head: bytes) -> str:
    """What the first bytes of something that is no JSON and no metrics page look like."""
    for start, name in _BYTES:
        if head.startswith(start):
            return name
    if head[257:262] == b"ustar":
        return _("a tar archive; unpack it first")
    if is_binary(head) or not _is_text(head):
        return _("binary data (OTLP as protobuf is not read; export it as JSON)")
    text = head.decode("utf-8", "ignore")
    first = text.lstrip().split("\n", 1)[0]
    for pattern, name in _TEXTS:
        if pattern.search(text if pattern.flags & re.M else first):
            return name
    if first[:1] in '"-0123456789' or first.strip() in ("null", "true", "false"):
        return _("text, or a JSON value that is neither an object nor a list")
    return _("text that is neither JSON nor a metrics page")


def is_binary(head: bytes) -> bool:
    """Whether there are control characters that no text has (a record separator it may have)."""
    return any(byte < 9 or 13 < byte < 27 for byte in head[:4096])


def _is_text(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 4 and error.start > 0
    return True


def shape_of(document: Any, levels: int = 3) -> str:
    """An unknown document in words: its top-level keys, or what its list holds."""
    if isinstance(document, list):
        if not document:
            return _("an empty list")
        inner = shape_of(document[0], levels - 1) if levels else _("a list")
        return _("a list whose first item is {item}").format(item=inner)
    if isinstance(document, dict):
        keys = ", ".join(str(key)[:40] for key in list(document)[:8])
        more = ", …" if len(document) > 8 else ""
        return _("an object with {keys}").format(keys=keys + more) if keys else _("an empty object")
    return _("a single value")
