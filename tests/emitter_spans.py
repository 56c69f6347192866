"""One streamed call as every emitter writes it: arrival 0, first token 300, end 1000 ms.

Names, units and places are the emitters' own. Engines queue 50 ms, prefill for 200 and decode for
600; 812 tokens go in, 512 of them cached, and 64 come out, as far as the emitter tells.
"""

from typing import Any, Final

from builders import MS, T0

HTTP: Final = {"http.request.method": "POST"}
LATENCY = "gen_ai.latency."
V1 = {"time_in_queue": 0.05, "time_in_model_prefill": 0.2, "time_in_model_decode": 0.6}
COUNTS = {"gen_ai.usage.prompt_tokens": 812, "gen_ai.usage.completion_tokens": 64}
CACHED = {"gen_ai.usage.cached_tokens": 512}
NEW = {"gen_ai.usage.input_tokens": 812, "gen_ai.usage.output_tokens": 64}
TGI = {"code.namespace": "text_generation_router::server", "total_time": "1s"}
PD = "llm_d.pd_proxy."

Sample = tuple[tuple[str, ...], dict[str, dict[str, Any]]]


def latency(**seconds: float) -> dict[str, Any]:
    return {LATENCY + name: value for name, value in seconds.items()}


def event(name: str, at_ms: float = 300) -> dict[str, Any]:
    return {"name": name, "time_ns": T0 + round(at_ms * MS), "attributes": {}}


def one(line: str, attributes: dict[str, Any], **columns: Any) -> Sample:
    return (line,), {"a": {"attributes": attributes, **columns}}


def scoped(scope: str, *lines: str, **columns: dict[str, Any]) -> Sample:
    ids = [line.split()[0] for line in lines]
    return lines, {i: {"scope": scope, **columns.get(i, {})} for i in ids}


SAMPLES: Final[dict[str, Sample]] = {
    "vLLM v1": one(
        "a . vllm server 0 1000 llm_request",
        latency(**V1, time_to_first_token=0.3) | COUNTS | CACHED,
    ),
    "vLLM v0": one(
        "a . vllm server 0 1000 llm_request",
        latency(time_in_queue=0.05, time_to_first_token=0.3) | COUNTS,
    ),
    "vLLM, in the answer": one(
        "a . web client 0 1000 POST",
        HTTP | {
            "metrics.queue_time_ms": 50.0, "metrics.time_to_first_token_ms": 200.0,
            "metrics.generation_time_ms": 600.0, "usage.prompt_tokens": 812,
            "usage.completion_tokens": 64, "usage.prompt_tokens_details.cached_tokens": 512,
        },
    ),
    "SGLang": scoped(
        "sglang server", "a . sglang server 0 1000 Req 3f9c21ab",
        "q a sglang internal 50 100 prefill_waiting", "p a sglang internal 100 300 prefill_forward",
        "d a sglang internal 300 900 decode_loop",
        a={"attributes": latency(
            time_to_first_token=0.3, time_in_model_prefill=0.25, time_in_model_decode=0.6
        ) | COUNTS},
    ),
    "TGI": one(
        "a . tgi server 0 1000 generate_stream",
        TGI | {"validation_time": "10ms", "queue_time": "50ms", "inference_time": "940ms"},
    ),
    "TensorRT-LLM": one(
        "a . trtllm server 0 1000 llm_request",
        latency(time_in_queue=0.05, time_to_first_token=0.3) | COUNTS,
    ),
    "Triton": scoped(
        "triton-server", "r . triton server 0 1000 InferRequest",
        "a r triton internal 0 1000 llama", "c a triton internal 50 990 compute",
        a={"attributes": {"triton.model_name": "llama"},
           "events": [event("QUEUE_START", 0), event("COMPUTE_START", 50)]},
    ),
    "Dynamo": one(
        "a . worker internal 0 1000 handle_payload",
        {"component": "backend", "endpoint": "generate", "instance_id": "7587"},
    ),
    "llm-d": (
        (f"r . sidecar server 0 1000 {PD}request", f"p r sidecar internal 0 200 {PD}prefill",
         f"d p sidecar internal 200 1000 {PD}decode"),
        {"d": {"attributes": {PD + "true_ttft_ms": 200.0, PD + "prefill_duration_ms": 200.0}}},
    ),
    "LiteLLM v1": one(
        "a . proxy server 0 1000 Received Proxy Server Request",
        COUNTS | {"gen_ai.request.model": "m", "llm.is_streaming": "True"},
    ),
    "LiteLLM v2": one(
        "a . proxy client 0 1000 chat m",
        NEW | {"gen_ai.operation.name": "chat", "gen_ai.response.time_to_first_chunk": 0.3},
        scope="litellm",
    ),
    "Ollama, in the answer": one(
        "a . web client 0 1000 POST",
        HTTP | {
            "total_duration": 980 * MS, "load_duration": 50 * MS, "eval_duration": 600 * MS,
            "prompt_eval_duration": 200 * MS, "prompt_eval_count": 812, "eval_count": 64,
        },
    ),
    "llama.cpp, in the answer": one(
        "a . web client 0 1000 POST",
        HTTP | {
            "timings.prompt_ms": 200.0, "timings.predicted_ms": 600.0, "timings.prompt_n": 300,
            "timings.cache_n": 512, "timings.predicted_n": 64,
        },
    ),
    "OpenTelemetry GenAI": one(
        "a . web client 0 1000 chat m",
        NEW | {
            "gen_ai.operation.name": "chat", "gen_ai.request.stream": True,
            "gen_ai.response.time_to_first_chunk": 0.3,
            "gen_ai.usage.cache_read.input_tokens": 512,
        },
    ),
    "OpenTelemetry GenAI before 1.37": one(
        "a . web client 0 1000 chat m",
        COUNTS | {"gen_ai.operation.name": "chat", "gen_ai.system": "openai"},
    ),
    "OpenInference": one(
        "a . web internal 0 1000 ChatCompletion",
        {
            "openinference.span.kind": "LLM", "llm.token_count.prompt": 812,
            "llm.token_count.completion": 64,
            "llm.token_count.prompt_details.cache_read": 512,
        },
        events=[event("First Token Stream Event")],
    ),
    "OpenLLMetry": one(
        "a . web client 0 1000 openai.chat",
        COUNTS | {"llm.request.type": "chat", "gen_ai.is_streaming": True,
                  "gen_ai.usage.cache_read_input_tokens": 512},
        events=[event("gen_ai.content.completion.chunk")],
    ),
    "Langfuse": one(
        "a . web internal 0 1000 generate",
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.completion_start_time": '"2023-11-14T22:13:20.300Z"',
            "langfuse.observation.usage_details":
                '{"input": 812, "output": 64, "input_cached_tokens": 512}',
        },
    ),
    "Vercel AI SDK": one(
        "a . web internal 0 1000 ai.streamText.doStream",
        {
            "ai.operationId": "ai.streamText.doStream", "ai.response.msToFirstChunk": 300.0,
            "ai.usage.promptTokens": 812, "ai.usage.completionTokens": 64,
            "ai.usage.cachedInputTokens": 512,
        },
    ),
    "LangSmith": one(
        "a . web internal 0 1000 ChatOpenAI",
        NEW | {"langsmith.span.kind": "llm"}, events=[event("new_token")],
    ),
    "Envoy AI Gateway": one(
        "a . gateway internal 0 1000 ChatCompletion",
        {"openinference.span.kind": "LLM", "llm.token_count.prompt": 812,
         "llm.token_count.completion": 64},
        events=[event("First Token Stream Event")],
    ),
    "a provider's timing header": one(
        "a . web client 0 1000 POST",
        HTTP | {"http.response.header.openai-processing-ms": ["640"]},
    ),
}  # fmt: skip
"""Name in docs/emitters.md -> the spans."""
