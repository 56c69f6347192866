"""`python -m data.samples.write_formats` writes one small export per format, always the same."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from data.samples.two_requests import T0_NS, Step, two_requests

OUT: Final = Path(__file__).parent / "formats"
_KINDS: Final = ("unspecified", "internal", "server", "client", "producer", "consumer")


def otlp(steps: Iterable[Step], in_base64: bool = False) -> dict[str, Any]:
    """An export request: one entry per service."""
    groups = groupby(sorted(steps, key=lambda step: step.service), key=lambda step: step.service)
    entries = [_entry(list(group), in_base64) for _service, group in groups]
    return {"batches" if in_base64 else "resourceSpans": entries}


def _entry(steps: list[Step], in_base64: bool) -> dict[str, Any]:
    resource = {"service.name": steps[0].service, "host.name": steps[0].host}
    spans = [_otlp_span(step, in_base64) for step in steps]
    scoped = {"scope": {"name": "example.instrumentation"}, "spans": spans}
    return {"resource": {"attributes": _pairs(resource)}, "scopeSpans": [scoped]}


def _otlp_span(step: Step, in_base64: bool) -> dict[str, Any]:
    def written(number: str) -> str:
        return base64.b64encode(bytes.fromhex(number)).decode() if in_base64 else number

    kind = _KINDS.index(step.kind)
    made = {
        "traceId": written(step.trace),
        "spanId": written(step.id),
        "name": step.name,
        "kind": f"SPAN_KIND_{step.kind.upper()}" if in_base64 else kind,
        "startTimeUnixNano": str(step.start_ns),
        "endTimeUnixNano": str(step.end_ns),
        "attributes": _pairs(step.attributes),
        "events": [{"name": name, "timeUnixNano": str(time)} for name, time in step.events],
        "status": {"code": 2} if step.failed else {},
    }
    return {**made, "parentSpanId": written(step.parent)} if step.parent else made


def _pairs(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _any_value(value)} for key, value in attributes.items()]


def _any_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}


def jaeger(steps: list[Step]) -> dict[str, Any]:
    """A query answer: one entry per trace."""
    groups = groupby(steps, key=lambda step: step.trace)
    return {"data": [_jaeger_trace(trace, list(group)) for trace, group in groups]}


def _jaeger_trace(trace: str, steps: list[Step]) -> dict[str, Any]:
    hosts = {step.service: step.host for step in steps}
    processes = {
        f"p-{service}": {
            "serviceName": service,
            "tags": [{"key": "host.name", "type": "string", "value": host}],
        }
        for service, host in hosts.items()
    }
    return {
        "traceID": trace,
        "spans": [_jaeger_span(step) for step in steps],
        "processes": processes,
        "warnings": None,
    }


def _jaeger_span(step: Step) -> dict[str, Any]:
    parent = {"refType": "CHILD_OF", "traceID": step.trace, "spanID": step.parent}
    scope = "example.instrumentation"
    tags = {"span.kind": step.kind, "otel.scope.name": scope, **step.attributes}
    return {
        "traceID": step.trace,
        "spanID": step.id,
        "operationName": step.name,
        "references": [parent] if step.parent else [],
        "startTime": step.start_ns // 1000,
        "duration": (step.end_ns - step.start_ns) // 1000,
        "tags": _tags({**tags, "error": True} if step.failed else tags),
        "logs": [
            {"timestamp": time // 1000, "fields": _tags({"event": name})}
            for name, time in step.events
        ],
        "processID": f"p-{step.service}",
    }


def _tags(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = {bool: "bool", int: "int64", float: "float64", str: "string"}
    return [
        {"key": key, "type": kinds[type(value)], "value": value}
        for key, value in attributes.items()
    ]


def zipkin(steps: list[Step]) -> list[dict[str, Any]]:
    """A list of spans; client and server keep ids of their own."""
    return [_zipkin_span(step) for step in steps]


def _zipkin_span(step: Step) -> dict[str, Any]:
    address = {"web": "10.0.0.1", "gateway": "10.0.0.2", "engine": "10.0.0.3"}[step.service]
    tags = {key: _spelt(value) for key, value in step.attributes.items()}
    made: dict[str, Any] = {
        "traceId": step.trace,
        "id": step.id,
        "name": step.name,
        "timestamp": step.start_ns // 1000,
        "duration": (step.end_ns - step.start_ns) // 1000,
        "localEndpoint": {"serviceName": step.service, "ipv4": address},
        "annotations": [{"timestamp": time // 1000, "value": name} for name, time in step.events],
        "tags": {**tags, "error": "engine failed"} if step.failed else tags,
    }
    if step.parent:
        made["parentId"] = step.parent
    return made if step.kind == "internal" else {**made, "kind": step.kind.upper()}


def _spelt(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def prometheus_page() -> str:
    """A metrics page of an engine after 40 requests."""
    name = "vllm:time_to_first_token_seconds"
    label = 'model_name="example-8b"'
    bounds = (("0.1", 12), ("0.25", 30), ("0.5", 37), ("+Inf", 40))
    return "\n".join(
        [
            f"# HELP {name} Time to the first token.",
            f"# TYPE {name} histogram",
            *(f'{name}_bucket{{{label},le="{bound}"}} {held}' for bound, held in bounds),
            f"{name}_sum{{{label}}} 8.4",
            f"{name}_count{{{label}}} 40",
            "# TYPE vllm:num_requests_waiting gauge",
            f"vllm:num_requests_waiting{{{label}}} 3",
            "# TYPE vllm:generation_tokens_total counter",
            f"vllm:generation_tokens_total{{{label}}} 2560",
            "",
        ]
    )


def prometheus_answer() -> dict[str, Any]:
    """A range query's answer: a counter that restarts between its third and fourth point."""
    seconds = T0_NS // 10**9
    values = [[seconds + 15 * at, str(held)] for at, held in enumerate((100, 130, 160, 10, 40))]
    metric = {"__name__": "vllm:generation_tokens_total", "instance": "gpu-1"}
    result = [{"metric": metric, "values": values}]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def otlp_metrics() -> dict[str, Any]:
    """A histogram of request durations and a gauge, from one engine."""
    time = {"timeUnixNano": str(T0_NS)}
    counts = {"count": "10", "sum": 9.5, "bucketCounts": ["2", "4", "2", "2"]}
    histogram = {
        "name": "gen_ai.server.request.duration",
        "unit": "s",
        "histogram": {
            "aggregationTemporality": 2,
            "dataPoints": [{**time, **counts, "explicitBounds": [0.1, 0.5, 1]}],
        },
    }
    gauge = {"name": "queue.depth", "gauge": {"dataPoints": [{**time, "asInt": "3"}]}}
    resource = {"attributes": _pairs({"service.name": "engine"})}
    scoped = {"metrics": [histogram, gauge]}
    return {"resourceMetrics": [{"resource": resource, "scopeMetrics": [scoped]}]}


def exports() -> dict[str, str]:
    """File name -> content, one per format and one more for the ways OTLP is wrapped."""
    steps = two_requests()
    halves = [otlp(steps[:3]), otlp(steps[3:])]
    return {
        "otlp_json.json": _pretty(otlp(steps)),
        "otlp_json_lines.json": "".join(json.dumps(half) + "\n" for half in halves),
        "otlp_json_tempo.json": _pretty(otlp(steps, in_base64=True)),
        "jaeger_json.json": _pretty(jaeger(steps)),
        "zipkin_v2.json": _pretty(zipkin(steps)),
        "prometheus_text.txt": prometheus_page(),
        "prometheus_api.json": _pretty(prometheus_answer()),
        "otlp_metrics.json": _pretty(otlp_metrics()),
    }


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=1) + "\n"


def main() -> None:
    """Write every sample."""
    OUT.mkdir(exist_ok=True)
    for name, text in exports().items():
        (OUT / name).write_text(text, encoding="utf-8")
        print(f"{OUT / name}: {len(text)} bytes")


if __name__ == "__main__":
    main()
