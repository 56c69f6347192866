"""Which attribute keys carry content, credentials, headers or addresses: the door's one table.

Decided so: exception and error messages, stack traces and database statements count as content,
since they repeat prompts, parameters and keys; their types, operations and status codes stay. Of
`llm.invocation_parameters` and its like only numbers, booleans and short words stay (`stream`,
`max_tokens`). Command lines stay with the values of secret options replaced. Span and event names
stay, with query values replaced. Identifiers of users and sessions are not content and stay.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

CONTENT: Final = (
    # OpenTelemetry GenAI, both generations; OpenLLMetry
    "gen_ai.prompt", "gen_ai.prompt.*", "gen_ai.completion", "gen_ai.completion.*",
    "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions",
    "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.tool.definitions",
    "gen_ai.tool.description", "gen_ai.tool.message", "gen_ai.event.content",
    "gen_ai.content.*", "gen_ai.retrieval.documents", "gen_ai.retrieval.documents.*",
    "gen_ai.retrieval.query.text", "gen_ai.memory.query.text", "gen_ai.memory.records",
    "gen_ai.evaluation.explanation", "gen_ai.request.messages", "gen_ai.response.message",
    "gen_ai.response.text", "gen_ai.response.content", "gen_ai.input", "gen_ai.output",
    "gen_ai.user.message", "gen_ai.system.message", "gen_ai.assistant.message",
    "gen_ai.choice", "gen_ai.agent.description", "gen_ai.request.instructions",
    "llm.prompts", "llm.prompts.*", "llm.completions", "llm.completions.*", "llm.choices",
    "llm.choices.*", "llm.request.functions.*", "llm.content.*", "llm.input", "llm.output",
    "traceloop.entity.input", "traceloop.entity.output", "traceloop.prompt.template*",
    "ioa_observe.entity.input", "ioa_observe.entity.output", "mcp.request.argument*",
    "mcp.response.value", "mcp.request.params*", "mcp.response.content*",
    # OpenInference
    "input.value", "output.value", "input", "output", "inputs", "outputs",
    "llm.input_messages", "llm.input_messages.*", "llm.output_messages",
    "llm.output_messages.*", "llm.prompt_template.template", "llm.prompt_template.variables",
    "llm.tools", "llm.tools.*", "llm.function_call", "tool.parameters", "tool.json_schema",
    "tool.description", "tool.arguments", "tool.result", "tool_call.function.arguments",
    "message.content", "message.contents", "message.contents.*", "message.tool_calls*",
    "retrieval.documents", "retrieval.documents.*", "document.content", "document.metadata",
    "reranker.query", "reranker.input_documents*", "reranker.output_documents*",
    "embedding.text", "embedding.vector", "embedding.embeddings", "embedding.embeddings.*",
    # Vercel AI SDK
    "ai.prompt", "ai.prompt.*", "ai.response.text", "ai.response.object", "ai.response.reasoning",
    "ai.response.toolCalls", "ai.response.files", "ai.result.text", "ai.result.object",
    "ai.result.toolCalls", "ai.toolCall.args", "ai.toolCall.input", "ai.toolCall.result",
    "ai.toolCall.output", "ai.value", "ai.values", "ai.embedding", "ai.embeddings",
    "ai.schema", "ai.documents", "ai.input", "ai.output",
    # Langfuse, LangSmith, Logfire, MLflow, CrewAI, Google ADK and others
    "langfuse.*.input", "langfuse.*.output", "langfuse.observation.status_message",
    "langsmith.inputs", "langsmith.outputs", "langsmith.inputs.*", "langsmith.outputs.*",
    "pydantic_ai.all_messages", "all_messages", "all_messages_events", "events",
    "request_data", "response_data", "final_result", "tool_arguments", "tool_response",
    "model_request_parameters", "prompt", "completion", "response", "messages", "question",
    "answer", "query", "user_input", "system_prompt", "system_instructions",
    "instructions", "arguments", "content",
    "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.chat.*", "crew_tasks", "crew_agents",
    "crew_inputs", "crew_tasks_output", "formatted_description", "formatted_expected_output",
    "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response",
    "gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response",
    "gcp.vertex.agent.data", "_dd.llmobs.io.*", "_dd.llmobs.*messages",
    "guardrail.input", "guardrail.output", "litellm.guardrail.input", "litellm.guardrail.output",
    "rail.input", "rail.output", "*.function.arguments", "args", "kwargs",
    # bodies, statements, errors
    "body", "event.body", "http.request.body", "http.response.body", "http.request_body",
    "http.response_body", "http.body", "request.body", "response.body", "http.form.*",
    "messaging.message.body", "messaging.message.content", "rpc.message.body", "graphql.document",
    "graphql.variables*", "db.statement", "db.query.text", "db.query.parameter.*",
    "db.operation.parameter.*", "db.sql.parameters", "db.statement.*", "cassandra.query",
    "sql.query", "exception.message", "exception.stacktrace", "error.message",
    "error.stack", "error.stacktrace", "error.msg", "stack", "otel.status_description",
)  # fmt: skip
"""Exact keys; a star stands for any text. Compared without regard to case. A number or a truth
value under such a key is no content and stays."""

ENDINGS: Final = (
    "*.input", "*.output", "*.inputs", "*.outputs", "*.prompt", "*.completion", "*.args",
    "*.kwargs",
)  # fmt: skip
"""Content too, unless the key speaks of an amount (`llm.token_count.prompt`)."""

URLS: Final = (
    "url", "uri", "*.url", "*.uri", "url.*", "http.target", "http.route.url", "http.path",
    "http.uri.*", "http.request.path", "request_uri", "request_url", "requesturl", "full_url",
    "location", "referer", "referrer", "http.referer", "http.referrer", "*.href", "path",
    "http.query", "http.query_string", "query_string",
)  # fmt: skip
"""Keys whose value is an address: names of the query stay, its values go."""

COMMANDS: Final = ("process.command_args", "process.command_line", "process.command", "argv", "cmd")
"""Keys whose value is a command line: the values of secret options go."""

PARAMETERS: Final = (
    "llm.invocation_parameters", "llm.request.parameters", "gen_ai.request.parameters",
    "model_parameters", "langfuse.observation.model.parameters", "invocation_parameters",
)  # fmt: skip
"""Keys whose value is JSON of call parameters: numbers, booleans and short words stay."""

TIMING_HEADERS: Final = (
    "openai-processing-ms", "x-ratelimit-*", "retry-after", "retry-after-ms",
    "x-stainless-retry-count", "x-should-retry", "x-compute-time", "x-total-time",
    "x-validation-time", "x-queue-time", "x-inference-time", "x-time-per-token",
    "x-litellm-response-duration-ms", "x-litellm-overhead-duration-ms",
    "x-litellm-attempted-retries", "x-litellm-attempted-fallbacks",
    "x-litellm-max-retries", "x-envoy-upstream-service-time", "x-envoy-attempt-count",
    "x-kong-proxy-latency", "x-kong-upstream-latency", "x-kong-response-latency",
    "server-timing", "x-runtime", "x-response-time", "x-request-start", "x-queue-start", "age",
    "content-type",
)  # fmt: skip
"""Captured headers that say where time went, or that an answer streamed; all others stay out."""

_CREDENTIAL: Final = re.compile(
    r"(^|[._-])(proxy[._-])?authorization($|[._-])"
    r"|(^|[._-])(set[._-])?cookies?2?($|[._-])"
    r"|(^|[._-])(x[._-])?api[._-]?keys?([._-](hash|value))?$"
    r"|(^|[._-])(subscription|access|secret|private|signing|encryption|master|account)[._-]?key$"
    r"|(^|[._-])(access|refresh|id|auth|session|csrf|xsrf|bearer|api|security|secret|oauth|jwt"
    r"|personal|account|sas|client|push|verification)[._-]?token$"
    r"|^(token|bearer|jwt)$|(^|[._-])oauth[._-]param[._-](code|state|nonce)"
    r"|(^|[._-])(password|passwd|pwd|passphrase|secrets?|credentials?|connection[._-]?string)$"
)
_HEADER: Final = re.compile(
    r"^(?:http|ai|rpc|rpc\.grpc|rpc\.connect_rpc|messaging|gen_ai|llm)?\.?"
    r"(?:request|response|client|server)?[._]?(?:headers?|metadata)\.(?P<name>.+)$"
)
_HEADERS_WHOLE: Final = re.compile(r"^(?:.+[._])?(?:request|response|http)[._]?headers$|^headers$")
_METADATA: Final = re.compile(r"^rpc\.|^messaging\.header|headers?\.")


def _pattern(keys: tuple[str, ...]) -> re.Pattern[str]:
    parts = (re.escape(key.lower()).replace(r"\*", ".*") for key in keys)
    return re.compile("|".join(parts))


_CONTENT = _pattern(CONTENT)
_ENDING = _pattern(ENDINGS)
_URL = _pattern(URLS)
_COMMAND = _pattern(COMMANDS)
_PARAMETER = _pattern(PARAMETERS)
_TIMING = _pattern(TIMING_HEADERS)
_AMOUNT = re.compile(r"(^|[._])(tokens?|token_counts?|usage|counts?|cost|latency|duration)([._]|$)")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=1 << 16)
def treatment(key: str) -> str:
    """What the door does with a key's value: keep, url, command, parameters, or drop as a class.

    The classes are `content`, `credentials` and `headers`.
    """
    lower = key.lower()
    if _CREDENTIAL.search(_CAMEL.sub("_", key).lower()) or _CREDENTIAL.search(lower):
        return "credentials"
    header = _HEADER.match(lower)
    if header and _METADATA.search(lower):
        timing = _TIMING.fullmatch(header["name"].replace("_", "-"))
        return "keep" if timing else "headers"
    if _HEADERS_WHOLE.match(lower):
        return "headers"
    for pattern, name in (
        (_CONTENT, "content"),
        (_PARAMETER, "parameters"),
        (_COMMAND, "command"),
        (_URL, "url"),
    ):
        if pattern.fullmatch(lower):
            return name
    ends_like_content = _ENDING.fullmatch(lower) and not _AMOUNT.search(lower)
    return "content" if ends_like_content else "keep"
