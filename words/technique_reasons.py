"""Why a technique applies, does not, or cannot be judged; its figures have analysis' names."""

from typing import Final

from words import _

LARGE = _("{stage_share} of {whole} goes to {stage}, {p95_ns} at p95 of the requests that have it")

BECAUSE: Final[dict[str, str]] = {
    "stage_large": LARGE,
    "connections_opened": _(
        "{requests_share} of requests open a connection first, which takes {p50_ns} at the median"
    ),
    "handshakes": _("{handshakes} stood on the path, {p50_ns} each at the median"),
    "network_uneven": _("the client’s network takes {p50_ns} at the median and {p95_ns} at p95"),
    "network_long": _("the client’s network takes {p50_ns} of the median request that shows it"),
    "tokens_held": _(
        "the first token reaches the reader {delivery_ns} after the engine made it; the quickest "
        "delivery takes {floor_ns}"
    ),
    "gateway_slow": _("the gateway itself takes {p95_ns} at p95 and {stage_share} of {whole}"),
    "queue_uneven": _(
        "requests wait {high_ns} on one replica and {low_ns} on another, among {replicas}"
    ),
    "queue_long": _("the request queue holds {stage_share} of {whole}, {p95_ns} at its p95"),
    "queue_with_room": _(
        "the request queue holds {stage_share} of {whole}, yet tokens keep their pace in a crowd "
        "({pace_ratio} the time per token)"
    ),
    "tokens_slow_in_crowd": _(
        "a token takes {pace_ratio} as long when the replica is crowded as when it is quiet"
    ),
    "classes_mixed": _(
        "{urgent_share} of the calls are urgent and queue with the others, {p95_ns} at p95"
    ),
    "cache_missed": _(
        "{spread_share} of conversations change replicas; prefill holds {stage_share} of {whole}"
    ),
    "tails_long": _(
        "lookups have a tail ({name} and others, {names} in all): {calls} outlasted p95 by far, by "
        "{excess_ns} on average"
    ),
    "lookups_slow": _("{lookups} stood on the path, {p95_ns} at p95"),
    "zones_crossed": _("{hops} crossed zones; the internal network holds {stage_share} of {whole}"),
    "cpu_stopped": _("containers were throttled in {throttled_share} of the CPU periods"),
    "export_waited_for": _(
        "{requests_share} of requests wait for telemetry export, {p50_ns} at the median"
    ),
    "cold_starts": _("{requests} waited for a replica to start, {p50_ns} at the median"),
    "images_pulled": _("{pulls} stood on the path, {p50_ns} each at the median"),
    "retries": _(
        "{requests_share} of requests wait for attempts that failed, {p95_ns} at their p95"
    ),
    "checks_first": _("{requests} waited for a guardrail check, {p50_ns} at the median"),
    "runs": _("{runs} came one after the other; side by side each run would be {saved_ns} shorter"),
    "retrieval_first": _(
        "the model waits for retrieval, {p50_ns} at the median, before {prefill_ns} of prefill"
    ),
    "rerank_long": _("reranking takes {rerank_share} of the time, {p95_ns} at p95"),
    "prompts_long": _(
        "the median call prefills {median_tokens}; prefill holds {stage_share} of {whole}"
    ),
    "prompts_single_use": _(
        "the median prompt has {median_tokens}, {cached_share} of input is cached, and prefill "
        "holds {stage_share} of {whole}"
    ),
    "cache_little": _(
        "{cached_share} of input tokens come from the cache, of prompts with {median_tokens} at "
        "the median"
    ),
    "cache_unused": _("no input token comes from a cache; the median prompt has {median_tokens}"),
    "calls_long": _("model calls hold {stage_share} of {whole}"),
    "calls_chained": _(
        "{requests_share} of requests wait for preparing model calls, {calls_share} of all time"
    ),
    "answers_long": _(
        "answers have {median_tokens} at the median and {p95_tokens} at p95; writing them takes "
        "{stage_share} of {whole}"
    ),
    "reasoning_long": _("{reasoning_share} of the output is hidden reasoning, over {calls}"),
    "answers_at_once": _(
        "{requests} showed nothing before the end, though {hidden_ns} of it was writing"
    ),
    "one_model": _("one model answers everything and holds {stage_share} of {whole}"),
    "few_at_once": _("{stage_share} of {whole} goes to {stage}; at p95 {running} ran at once"),
    "context_long": _("a tenth of the calls has a context of {context_tokens} or more"),
    "preempted": _("the engine threw running requests out: {preemptions}"),
}

NOT_BECAUSE: Final[dict[str, str]] = {
    "stage_absent": _("no request spends time in {stage}"),
    "stage_small": _("{stage_share} of {whole} goes to {stage}, under {least_share}"),
    "no_effect": _("re-timing every request changes none of these figures"),
    "no_e2e": _("no request has an end-to-end time that counts"),
    "no_ttft": _("no request marks its first token"),
    "no_tpot": _("no request tells its time per output token"),
    "hosted_model": _("the models are run by a provider"),
    "already_quantised": _("{model} is quantised already, by its name"),
    "gpu_without_fp8": _("{gpu} has no FP8 arithmetic"),
    "connections_reused": _("only {requests_share} of requests open a connection"),
    "tls_modern": _("{handshakes} on the path, all of TLS 1.3 already"),
    "network_even": _("the client’s network is even: {p50_ns} at the median, {p95_ns} at p95"),
    "network_short": _("the client’s network takes {p50_ns} at the median, not over 60 ms"),
    "tokens_pass": _("tokens pass at once: {delivery_ns} from the engine to the reader"),
    "gateway_quick": _("the gateway itself takes {p95_ns} at p95, not over 20 ms"),
    "queue_small": _("the request queue takes {p95_ns} at its p95"),
    "queue_even": _("the replicas’ queues are even: {low_ns} to {high_ns} on average"),
    "one_replica": _("calls are served by one replica, as far as the spans tell"),
    "batch_fits": _("tokens keep their pace in a crowd and requests do not queue"),
    "one_class": _("all calls are of one class"),
    "sticky": _("{spread_share} of conversations change replicas, not over 30 %"),
    "tails_short": _("no lookup seen 40 times has a p95 over {tail_ratio} its median"),
    "lookups_quick": _("DNS lookups take {p95_ns} at p95"),
    "zones_kept": _("no call crosses zones"),
    "cpu_free": _("containers were throttled in {throttled_share} of the CPU periods"),
    "export_off_path": _("no request waits for telemetry export"),
    "no_retries": _("no request waits for an attempt that failed"),
    "checks_elsewhere": _("no guardrail check stands before a model call"),
    "no_runs": _("no lookups follow one another under one span"),
    "runs_short": _("side by side, lookups would save {saved_share} of the time"),
    "retrieval_elsewhere": _("no model call follows retrieval by its times"),
    "no_rerank": _("no request reranks"),
    "rerank_small": _("reranking takes {rerank_share} of the time, under {least_share}"),
    "candidates_few": _("the reranker sees {candidates} at the median"),
    "prompts_short": _("the median call has {median_tokens} of input, under {least_tokens}"),
    "prompts_cached": _("{cached_share} of input tokens come from the cache already"),
    "cache_off": _("no input token comes from a cache: turn prefix caching on first"),
    "cache_on": _("the cache is on: {cached_share} of input tokens come from it"),
    "tools_used": _("{requests} used tools, so an old answer may be wrong"),
    "single_call": _("no request waits for a model call before its last one"),
    "chains_rare": _("{requests_share} of requests wait for a chain of model calls"),
    "answers_short": _("answers are short: {median_tokens} at the median"),
    "reasoning_short": _("{reasoning_share} of the output is hidden reasoning"),
    "already_streaming": _("answers are streamed already"),
    "machine_reads": _("programs, not people, read the answers that are not streamed"),
    "several_models": _("{models} share the work already"),
    "many_at_once": _("at p95 {running} ran at once, where the limit is {most}"),
    "context_short": _(
        "nine calls of ten have a context under {context_tokens}, where {least_tokens} are needed"
    ),
    "no_preemptions": _("the engine threw no request out"),
}

COLLECT: Final[dict[str, str]] = {
    "connection_spans": _("record DNS, connect and TLS as spans of the HTTP client"),
    "tls_spans": _("record TLS handshakes, with tls.protocol.version"),
    "dns_spans": _("record DNS lookups as spans"),
    "client_timing": _("trace the browser or app, so that the user’s network is seen"),
    "first_token_twice": _(
        "record the first token at the engine and at the reader, to see what lies between"
    ),
    "queue_marks": _("send the engine’s own spans, which tell how long a request queued"),
    "engine_marks": _("send the engine’s own spans, which part queue, prefill and decode"),
    "replica_names": _("name the replica: host.name or service.instance.id"),
    "many_loads": _("record 30 calls or more at different loads, with their output tokens"),
    "request_class": _("label calls with their class, for example priority"),
    "conversations": _("label calls with gen_ai.conversation.id"),
    "zones": _("label spans with cloud.availability_zone"),
    "cpu_metrics": _("collect container_cpu_cfs_throttled_periods_total"),
    "pull_spans": _("record image pulls as spans of the cold start"),
    "input_tokens": _("record gen_ai.usage.input_tokens"),
    "cached_tokens": _("record how many input tokens came from the cache"),
    "output_tokens": _("record gen_ai.usage.output_tokens"),
    "reasoning_tokens": _("record the reasoning tokens of each call"),
    "first_token": _("record the first token of model calls"),
    "stream_flag": _("record gen_ai.request.stream"),
    "preemption_metrics": _("collect the engine’s counter of preemptions"),
}
