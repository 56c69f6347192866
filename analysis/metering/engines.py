"""The families of the engines: vLLM, SGLang, TGI, Triton, TensorRT-LLM, llama.cpp."""

from __future__ import annotations

from typing import Final

from analysis.metering.family import Family, beside, causes, part, whole

VLLM_WHOLE: Final = "vllm:e2e_request_latency_seconds"
VLLM_INFERENCE: Final = "vllm:request_inference_time_seconds"
SGLANG_WHOLE: Final = "sglang:e2e_request_latency_seconds"
TGI_WHOLE: Final = "tgi_request_duration"
TRITON_WHOLE: Final = "nv_inference_request_duration_us"
TRITON_COUNT: Final = "nv_inference_request_success"
TRT_WHOLE: Final = "trtllm_e2e_request_latency_seconds"
TRT_INFERENCE: Final = "trtllm_request_inference_time_seconds"

SGLANG_STAGES: Final = {
    "tokenize": "tokenize_detokenize",
    "dispatch": "internal_network",
    "dc_dispatch": "routing",
    "mini_lb_launch": "routing",
    "request_process": "pre_post_processing",
    "quick_finish": "pre_post_processing",
    "prefill_waiting": "request_queue",
    "decode_waiting": "request_queue",
    "prefill_forward": "prefill",
    "chunked_prefill": "prefill",
    "decode_forward": "decode",
    "decode_loop": "decode",
    "fake_output": "decode",
}
"""SGLang's name of a stage -> ours, as its stage spans are read."""

_STAGED: Final = "sglang:per_stage_req_latency_seconds"

VLLM: Final[list[Family]] = [
    whole(VLLM_WHOLE, "vllm", stage="model", opens=False),
    part("vllm:request_queue_time_seconds", "vllm", "request_queue", VLLM_WHOLE),
    part(VLLM_INFERENCE, "vllm", "model", VLLM_WHOLE),
    part("vllm:request_prefill_time_seconds", "vllm", "prefill", VLLM_INFERENCE),
    part("vllm:request_decode_time_seconds", "vllm", "decode", VLLM_INFERENCE),
    *beside("ttft", "vllm", "s", "vllm:time_to_first_token_seconds", within=VLLM_WHOLE),
    *beside("token", "vllm", "s", "vllm:inter_token_latency_seconds",
            "vllm:request_time_per_output_token_seconds", "vllm:time_per_output_token_seconds"),
    *beside("apart", "vllm", "s", "vllm:nixl_xfer_time_seconds", "vllm:nixl_post_time_seconds",
            "vllm:time_in_queue_requests"),
    *beside("apart", "vllm", "ms", "vllm:model_forward_time_milliseconds",
            "vllm:model_execute_time_milliseconds"),
    *[Family(name, "prodstack", "cause", cause=cause, unit="requests")
      for name, cause in (("vllm:num_requests_running", "running"),
                          ("vllm:num_requests_waiting", "waiting"))],
    *causes("vllm", "running", "requests", "vllm:num_requests_running"),
    *causes("vllm", "waiting", "requests", "vllm:num_requests_waiting",
            "vllm:num_requests_waiting_by_reason", "vllm:num_requests_swapped"),
    *causes("vllm", "kv_cache_use", "ratio", "vllm:kv_cache_usage_perc",
            "vllm:gpu_cache_usage_perc", "vllm:cpu_cache_usage_perc"),
    *causes("vllm", "preemptions", "preemptions", "vllm:num_preemptions"),
    *causes("vllm", "cache_hits", "tokens", "vllm:prefix_cache_queries", "vllm:prefix_cache_hits",
            "vllm:external_prefix_cache_queries", "vllm:external_prefix_cache_hits"),
    *causes("vllm", "kv_transfer", "bytes", "vllm:nixl_bytes_transferred"),
    *causes("vllm", "failures", "requests", "vllm:nixl_num_failed_transfers",
            "vllm:nixl_num_kv_expired_reqs"),
]  # fmt: skip

SGLANG: Final[list[Family]] = [
    whole(SGLANG_WHOLE, "sglang", stage="model", opens=False),
    part("sglang:queue_time_seconds", "sglang", "request_queue", SGLANG_WHOLE),
    *[part(_STAGED, "sglang_stages", stage, "", labels=(("stage", name),))
      for name, stage in SGLANG_STAGES.items()],
    *beside("ttft", "sglang", "s", "sglang:time_to_first_token_seconds", within=SGLANG_WHOLE),
    *beside("token", "sglang", "s", "sglang:inter_token_latency_seconds",
            "sglang:time_per_output_token_seconds"),
    *beside("apart", "sglang", "ms", "sglang:kv_transfer_latency_ms",
            "sglang:kv_transfer_bootstrap_ms", "sglang:kv_transfer_alloc_ms"),
    *causes("sglang", "running", "requests", "sglang:num_running_reqs"),
    *causes("sglang", "waiting", "requests", "sglang:num_queue_reqs",
            "sglang:num_grammar_queue_reqs", "sglang:num_prefill_inflight_queue_reqs",
            "sglang:num_decode_prealloc_queue_reqs", "sglang:num_decode_transfer_queue_reqs"),
    *causes("sglang", "kv_cache_use", "ratio", "sglang:token_usage"),
    *causes("sglang", "cache_hits", "ratio", "sglang:cache_hit_rate"),
    *causes("sglang", "preemptions", "requests", "sglang:num_retracted_reqs"),
    *causes("sglang", "kv_transfer", "", "sglang:kv_transfer_speed_gb_s",
            "sglang:kv_transfer_total_mb"),
    *causes("sglang", "cold_start", "s", "sglang:engine_startup_time",
            "sglang:engine_load_weights_time"),
]  # fmt: skip

TGI: Final[list[Family]] = [
    whole(TGI_WHOLE, "tgi", stage="model", opens=False),
    part("tgi_request_validation_duration", "tgi", "tokenize_detokenize", TGI_WHOLE),
    part("tgi_request_queue_duration", "tgi", "request_queue", TGI_WHOLE),
    part("tgi_request_inference_duration", "tgi", "model", TGI_WHOLE),
    *beside("token", "tgi", "s", "tgi_request_mean_time_per_token_duration"),
    *causes("tgi", "waiting", "requests", "tgi_queue_size"),
    *causes("tgi", "running", "requests", "tgi_batch_current_size"),
    *causes("tgi", "running", "tokens", "tgi_batch_current_max_tokens"),
]

_TRITON_PARTS: Final = {
    "nv_inference_queue_duration_us": "request_queue",
    "nv_inference_compute_input_duration_us": "pre_post_processing",
    "nv_inference_compute_infer_duration_us": "model",
    "nv_inference_compute_output_duration_us": "pre_post_processing",
}

TRITON: Final[list[Family]] = [
    whole(TRITON_WHOLE, "triton", "us", stage="model", opens=False, counted_by=TRITON_COUNT),
    *[part(name, "triton", stage, TRITON_WHOLE, "us", counted_by=TRITON_COUNT)
      for name, stage in _TRITON_PARTS.items()],
    Family(TRITON_COUNT, "triton", "cause", "requests", cause="requests"),
    *beside("ttft", "triton", "ms", "nv_inference_first_response_histogram_ms",
            within=TRITON_WHOLE),
    *causes("triton", "waiting", "requests", "nv_inference_pending_request_count"),
    *causes("triton", "batch", "", "nv_inference_count", "nv_inference_exec_count"),
    *causes("triton", "cold_start", "s", "nv_model_load_duration_secs"),
    *causes("triton", "gpu", "", "nv_gpu_utilization", "nv_gpu_memory_used_bytes"),
]  # fmt: skip

TENSORRT_LLM: Final[list[Family]] = [
    whole(TRT_WHOLE, "tensorrt_llm", stage="model", opens=False),
    part("trtllm_request_queue_time_seconds", "tensorrt_llm", "request_queue", TRT_WHOLE),
    part(TRT_INFERENCE, "tensorrt_llm", "model", TRT_WHOLE),
    part("trtllm_request_prefill_time_seconds", "tensorrt_llm", "prefill", TRT_INFERENCE),
    part("trtllm_request_decode_time_seconds", "tensorrt_llm", "decode", TRT_INFERENCE),
    *beside("ttft", "tensorrt_llm", "s", "trtllm_time_to_first_token_seconds", within=TRT_WHOLE),
    *beside("token", "tensorrt_llm", "s", "trtllm_time_per_output_token_seconds"),
    *causes("tensorrt_llm", "kv_cache_use", "ratio", "trtllm_kv_cache_utilization"),
    *causes("tensorrt_llm", "cache_hits", "ratio", "trtllm_kv_cache_hit_rate"),
    *causes("tensorrt_llm", "running", "requests", "trtllm_num_requests_running"),
    *causes("tensorrt_llm", "waiting", "requests", "trtllm_num_requests_waiting"),
]

LLAMA_CPP: Final[list[Family]] = [
    *causes("llama_cpp", "running", "requests", "llamacpp:requests_processing"),
    *causes("llama_cpp", "waiting", "requests", "llamacpp:requests_deferred"),
    *causes("llama_cpp", "kv_cache_use", "ratio", "llamacpp:kv_cache_usage_ratio"),
]

ENGINES: Final = [*VLLM, *SGLANG, *TGI, *TRITON, *TENSORRT_LLM, *LLAMA_CPP]
"""In the order in which a series finds its row: the first that holds it."""
