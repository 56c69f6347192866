"""The metric families worth asking a Prometheus server for, as their exporters name them."""

from __future__ import annotations

from typing import Final

HISTOGRAMS: Final = (
    # vLLM
    "vllm:request_queue_time_seconds", "vllm:request_prefill_time_seconds",
    "vllm:request_decode_time_seconds", "vllm:request_inference_time_seconds",
    "vllm:time_to_first_token_seconds", "vllm:inter_token_latency_seconds",
    "vllm:request_time_per_output_token_seconds", "vllm:time_per_output_token_seconds",
    "vllm:e2e_request_latency_seconds", "vllm:nixl_xfer_time_seconds",
    "vllm:nixl_post_time_seconds", "vllm:request_prompt_tokens",
    "vllm:request_generation_tokens", "vllm:request_prefill_kv_computed_tokens",
    # SGLang
    "sglang:queue_time_seconds", "sglang:per_stage_req_latency_seconds",
    "sglang:time_to_first_token_seconds", "sglang:inter_token_latency_seconds",
    "sglang:e2e_request_latency_seconds", "sglang:kv_transfer_latency_ms",
    # Text Generation Inference
    "tgi_request_duration", "tgi_request_validation_duration", "tgi_request_queue_duration",
    "tgi_request_inference_duration", "tgi_request_mean_time_per_token_duration",
    "tgi_batch_inference_duration", "tgi_batch_forward_duration",
    # TensorRT-LLM, Triton, Dynamo
    "trtllm_request_queue_time_seconds", "trtllm_request_prefill_time_seconds",
    "trtllm_request_decode_time_seconds", "trtllm_request_inference_time_seconds",
    "trtllm_time_to_first_token_seconds", "trtllm_time_per_output_token_seconds",
    "trtllm_e2e_request_latency_seconds", "nv_inference_first_response_histogram_ms",
    "dynamo_frontend_request_duration_seconds", "dynamo_frontend_time_to_first_token_seconds",
    "dynamo_frontend_inter_token_latency_seconds", "dynamo_frontend_stage_duration_seconds",
    "dynamo_frontend_tokenize_seconds", "dynamo_frontend_template_seconds",
    "dynamo_work_handler_network_transit_seconds", "dynamo_work_handler_permit_wait_seconds",
    "dynamo_request_plane_queue_seconds", "dynamo_request_plane_send_seconds",
    # gateways and routers
    "inference_extension_flow_control_request_queue_duration_seconds",
    "inference_extension_scheduler_e2e_duration_seconds",
    "inference_objective_request_duration_seconds", "inference_objective_request_ttft_seconds",
    "litellm_request_total_latency_metric", "litellm_llm_api_latency_metric",
    "litellm_overhead_latency_metric", "litellm_llm_api_time_to_first_token_metric",
    "litellm_request_queue_time_seconds", "litellm_redis_latency", "litellm_self_latency",
    "envoy_cluster_upstream_rq_time", "envoy_cluster_upstream_cx_connect_ms",
    "envoy_http_downstream_rq_time", "istio_request_duration_milliseconds",
    "kong_kong_latency_ms", "kong_upstream_latency_ms", "kong_request_latency_ms",
    "traefik_entrypoint_request_duration_seconds", "traefik_service_request_duration_seconds",
    "nginx_ingress_controller_request_duration_seconds",
    "nginx_ingress_controller_response_duration_seconds",
    # platforms, applications
    "request_preprocess_seconds", "request_predict_seconds", "request_postprocess_seconds",
    "ray_serve_http_request_latency_ms", "ray_serve_request_router_fulfillment_time_ms",
    "ray_serve_deployment_processing_latency_ms", "ray_serve_batch_wait_time_ms",
    "kubelet_pod_start_sli_duration_seconds", "kubelet_pod_start_total_duration_seconds",
    "gen_ai_server_request_duration_seconds", "gen_ai_server_time_to_first_token_seconds",
    "gen_ai_server_time_per_output_token_seconds", "gen_ai_client_operation_duration_seconds",
    "http_server_request_duration_seconds", "http_client_request_duration_seconds",
    "db_client_operation_duration_seconds", "db_client_connection_wait_time_seconds",
    "guardrails_request_duration_seconds",
)  # fmt: skip
"""Families with `_bucket`, `_sum` and `_count`."""

SINGLE: Final = (
    "vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
    "vllm:gpu_cache_usage_perc", "vllm:num_preemptions_total", "vllm:prefix_cache_queries_total",
    "vllm:prefix_cache_hits_total", "vllm:prompt_tokens_total", "vllm:generation_tokens_total",
    "vllm:num_requests_waiting_by_reason", "vllm:nixl_num_failed_transfers_total",
    "sglang:num_queue_reqs", "sglang:num_running_reqs", "sglang:token_usage",
    "sglang:cache_hit_rate", "sglang:num_retracted_reqs", "sglang:engine_startup_time",
    "tgi_queue_size", "tgi_batch_current_size", "nv_inference_request_duration_us",
    "nv_inference_queue_duration_us", "nv_inference_compute_infer_duration_us",
    "nv_inference_compute_input_duration_us", "nv_inference_compute_output_duration_us",
    "nv_inference_request_success", "nv_inference_pending_request_count",
    "nv_model_load_duration_secs", "trtllm_kv_cache_utilization", "trtllm_num_requests_waiting",
    "llamacpp:requests_processing", "llamacpp:requests_deferred",
    "dynamo_frontend_queued_requests", "dynamo_frontend_router_queue_pending_requests",
    "inference_pool_average_kv_cache_utilization", "inference_pool_average_queue_size",
    "inference_extension_flow_control_queue_size", "litellm_deployment_cooled_down_total",
    "envoy_cluster_upstream_rq_pending_active", "envoy_cluster_upstream_rq_pending_overflow",
    "envoy_cluster_upstream_rq_retry", "envoy_cluster_upstream_rq_timeout",
    "istio_requests_total", "traefik_service_retries_total",
    "ray_serve_deployment_queued_queries", "ray_serve_autoscaling_target_replicas",
    "container_cpu_cfs_throttled_periods_total", "container_cpu_cfs_periods_total",
    "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE",
    "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_SM_CLOCK",
)  # fmt: skip
"""Gauges and counters, one series per label set."""
