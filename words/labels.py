"""The one spelling of every id that a user reads: stages, groups, flags, formats, bands."""

from typing import Final

from words import _
from words.flag_labels import FLAG_EFFECTS, FLAG_LABELS, FLAG_MEANINGS

STAGE_LABELS: Final[dict[str, str]] = {
    "client_network": _("Client network"),
    "client_render": _("Client rendering"),
    "cdn_edge": _("CDN edge"),
    "api_gateway": _("API gateway"),
    "auth_rate_limit": _("Auth and rate limit"),
    "request_queue": _("Request queue"),
    "routing": _("Routing"),
    "autoscale_cold_start": _("Cold start"),
    "mesh_sidecar": _("Mesh sidecar"),
    "internal_network": _("Internal network"),
    "connection_setup": _("Connection setup"),
    "external_network": _("External network"),
    "pod_gpu_runtime": _("Pod and GPU runtime"),
    "observability_export": _("Telemetry export"),
    "guardrails": _("Guardrails"),
    "circuit_breaking": _("Circuit breaking"),
    "retries_backoff": _("Retries and backoff"),
    "app_logic": _("App logic"),
    "retrieval": _("Retrieval"),
    "tools": _("Tools"),
    "datastore": _("Datastore"),
    "tokenize_detokenize": _("Tokenizing"),
    "pre_post_processing": _("Pre and post processing"),
    "prefill": _("Prefill"),
    "decode": _("Decode"),
    "kv_transfer": _("KV transfer"),
    "embedding_rerank": _("Embedding and rerank"),
    "model": _("Model call"),
    "unattributed": _("Unattributed"),
}

# inside a sentence, always singular, so that one verb form fits
STAGE_PHRASES: Final[dict[str, str]] = {
    "client_network": _("the client's network"),
    "client_render": _("client rendering"),
    "cdn_edge": _("the CDN edge"),
    "api_gateway": _("the API gateway"),
    "auth_rate_limit": _("the auth and rate limit check"),
    "request_queue": _("the request queue"),
    "routing": _("routing"),
    "autoscale_cold_start": _("the cold start"),
    "mesh_sidecar": _("the mesh sidecar"),
    "internal_network": _("the internal network"),
    "connection_setup": _("connection setup"),
    "external_network": _("the network to the provider"),
    "pod_gpu_runtime": _("the pod and GPU runtime"),
    "observability_export": _("telemetry export"),
    "guardrails": _("the guardrail check"),
    "circuit_breaking": _("circuit breaking"),
    "retries_backoff": _("retrying"),
    "app_logic": _("application logic"),
    "retrieval": _("retrieval"),
    "tools": _("tool use"),
    "datastore": _("the datastore"),
    "tokenize_detokenize": _("tokenizing"),
    "pre_post_processing": _("pre and post processing"),
    "prefill": _("prefill"),
    "decode": _("decode"),
    "kv_transfer": _("KV transfer"),
    "embedding_rerank": _("embedding and rerank"),
    "model": _("the model call"),
    "unattributed": _("unattributed time"),
}

GROUP_LABELS: Final[dict[str, str]] = {
    "client": _("Client"),
    "access": _("Access"),
    "scheduling": _("Scheduling"),
    "runtime": _("Runtime"),
    "observability": _("Observability"),
    "control": _("Control"),
    "application": _("Application"),
    "inference": _("Inference"),
    "unattributed": _("Unattributed"),
    "harness": _("Harness"),
}

TTFT_SOURCE_LABELS: Final[dict[str, str]] = {
    "client_chunk": _("first content chunk at the client"),
    "response_start": _("response start in the browser"),
    "proxy_first_byte": _("first byte at the outermost proxy"),
    "engine": _("first token at the engine"),
}

OBJECTIVE_LABELS: Final[dict[str, str]] = {"e2e": _("E2E"), "ttft": _("TTFT"), "tpot": _("TPOT")}

OBJECTIVE_MEANINGS: Final[dict[str, str]] = {
    "e2e": _("end-to-end time: from the request's start to its last token"),
    "ttft": _("time to first token: from the request's start to the first token"),
    "tpot": _("time per output token after the first"),
}

BAND_LABELS: Final[dict[str, str]] = {
    "p50": _("Median"),
    "p95": _("p95"),
    "p99": _("p99"),
    "tail": _("Slowest 10\u202f%"),
    "slo": _("Over SLO"),
    "all": _("All"),
}

FORMAT_LABELS: Final[dict[str, str]] = {
    "otlp": _("OTLP"),
    "otlp_json": _("OTLP/JSON"),
    "otlp_proto": _("OTLP/protobuf"),
    "otlp_protobuf": _("OTLP/protobuf"),
    "otlp_metrics": _("OTLP metrics"),
    "jaeger_json": _("Jaeger JSON"),
    "zipkin_v1": _("Zipkin v1"),
    "zipkin_v2": _("Zipkin v2"),
    "tempo_json": _("Tempo JSON"),
    "phoenix_json": _("Phoenix"),
    "phoenix_spans": _("Phoenix"),
    "langfuse_json": _("Langfuse"),
    "langsmith_json": _("LangSmith"),
    "mlflow_json": _("MLflow"),
    "datadog_json": _("Datadog"),
    "xray_json": _("AWS X-Ray"),
    "clickhouse_json": _("ClickHouse rows"),
    "chrome_trace": _("Chrome trace"),
    "har": _("HAR"),
    "spans_csv": _("CSV of spans"),
    "access_log": _("Access log"),
    "benchmark": _("Benchmark rows"),
    "prometheus_text": _("Prometheus text"),
    "prometheus_api": _("Prometheus API"),
}

STATUS_LABELS: Final[dict[str, str]] = {"ok": _("ok"), "error": _("error"), "unset": _("unset")}

RISK_LABELS: Final[dict[str, str]] = {
    "low": _("low risk"),
    "medium": _("medium risk"),
    "high": _("high risk"),
}


def _spelled(identifier: str) -> str:
    """A user's own id as words: `my_stage` is My stage."""
    words = identifier.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def stage(identifier: str) -> str:
    """A stage's label: `Request queue`."""
    return STAGE_LABELS.get(identifier) or _spelled(identifier)


def stage_phrase(identifier: str) -> str:
    """A stage inside a sentence: `the request queue`."""
    return STAGE_PHRASES.get(identifier) or identifier.replace("_", " ")


def group(identifier: str) -> str:
    """A group's label, `harness` included."""
    return GROUP_LABELS.get(identifier) or _spelled(identifier)


def flag(identifier: str) -> str:
    """A flag's label: `clock moved`."""
    return FLAG_LABELS.get(identifier) or identifier.replace("_", " ")


def flag_meaning(identifier: str) -> str:
    """What the data did to earn the flag, one sentence; empty for a flag that is not ours."""
    return FLAG_MEANINGS.get(identifier, "")


def flag_effect(identifier: str) -> str:
    """What was done about it and what that does to the figures, one sentence."""
    return FLAG_EFFECTS.get(identifier, "")


def file_format(identifier: str) -> str:
    """The name of an export format."""
    return FORMAT_LABELS.get(identifier) or _spelled(identifier)


def ttft_source(identifier: str | None) -> str:
    """Where a first token was seen; empty where none was."""
    return TTFT_SOURCE_LABELS.get(identifier or "", identifier or "")


def objective(identifier: str) -> str:
    """The short name of an objective: `E2E`."""
    return OBJECTIVE_LABELS.get(identifier, identifier.upper())


def objective_meaning(identifier: str) -> str:
    """The objective spelled out."""
    return OBJECTIVE_MEANINGS.get(identifier, "")


def band(identifier: str) -> str:
    """The name of a band: `p95`, `Slowest 10 %`; p50 is `Median`."""
    return BAND_LABELS.get(identifier, identifier)


def status(identifier: str) -> str:
    """A request's or span's status."""
    return STATUS_LABELS.get(identifier, identifier)


def risk(identifier: str) -> str:
    """A technique's risk: `low risk`."""
    return RISK_LABELS.get(identifier, identifier)
