"""The families of routers, gateways, proxies, platforms, conventions and hardware."""

from __future__ import annotations

from typing import Final

from analysis.metering.family import Family, beside, causes, part, whole

DYNAMO_WHOLE: Final = "dynamo_frontend_request_duration_seconds"
LLMD_WHOLE: Final = "inference_objective_request_duration_seconds"
LITELLM_WHOLE: Final = "litellm_request_total_latency_metric"
ENVOY_WHOLE: Final = "envoy_http_downstream_rq_time"
ISTIO_WHOLE: Final = "istio_request_duration_milliseconds"
KONG_WHOLE: Final = "kong_request_latency_ms"
TRAEFIK_WHOLE: Final = "traefik_entrypoint_request_duration_seconds"
NGINX_WHOLE: Final = "nginx_ingress_controller_request_duration_seconds"
RAY_WHOLE: Final = "ray_serve_http_request_latency_ms"

_DYNAMO_STAGED: Final = "dynamo_frontend_stage_duration_seconds"
_DYNAMO_STAGES: Final = {
    "preprocess": "pre_post_processing", "route": "routing", "dispatch": "internal_network",
}  # fmt: skip

DYNAMO: Final[list[Family]] = [
    whole(DYNAMO_WHOLE, "dynamo", stage="model"),
    *[part(_DYNAMO_STAGED, "dynamo", stage, DYNAMO_WHOLE, labels=(("stage", name),))
      for name, stage in _DYNAMO_STAGES.items()],
    *beside("ttft", "dynamo", "s", "dynamo_frontend_time_to_first_token_seconds",
            within=DYNAMO_WHOLE),
    *beside("token", "dynamo", "s", "dynamo_frontend_inter_token_latency_seconds"),
    # tokenizing and templating happen inside the stage preprocess, so they are not added to it
    *beside("apart", "dynamo", "s", "dynamo_frontend_tokenize_seconds",
            "dynamo_frontend_template_seconds", "dynamo_work_handler_network_transit_seconds",
            "dynamo_work_handler_permit_wait_seconds", "dynamo_request_plane_queue_seconds",
            "dynamo_request_plane_send_seconds", "dynamo_request_plane_roundtrip_ttft_seconds",
            "dynamo_component_router_kv_transfer_estimated_latency_seconds"),
    *causes("dynamo", "waiting", "requests", "dynamo_frontend_queued_requests",
            "dynamo_frontend_router_queue_pending_requests", "dynamo_work_handler_queue_depth"),
    *causes("dynamo", "cold_start", "s", "dynamo_component_model_load_time_seconds"),
]  # fmt: skip

LLMD: Final[list[Family]] = [
    whole(LLMD_WHOLE, "llm_d", rest="api_gateway"),
    part("inference_extension_flow_control_request_queue_duration_seconds", "llm_d",
         "request_queue", LLMD_WHOLE),
    part("inference_extension_scheduler_e2e_duration_seconds", "llm_d", "routing", LLMD_WHOLE),
    whole("inference_model_request_duration_seconds", "llm_d_older", rest="api_gateway"),
    *beside("ttft", "llm_d", "s", "inference_objective_request_ttft_seconds", within=LLMD_WHOLE),
    *beside("ttft", "llm_d_older", "s", "inference_model_request_ttft_seconds",
            within="inference_model_request_duration_seconds"),
    *beside("token", "llm_d", "s", "inference_objective_request_tpot_seconds",
            "inference_objective_normalized_time_per_output_token_seconds"),
    *beside("apart", "llm_d", "s", "inference_extension_plugin_duration_seconds",
            "inference_extension_scheduler_plugin_duration_seconds",
            "inference_extension_flow_control_request_enqueue_duration_seconds"),
    *causes("llm_d", "kv_cache_use", "ratio", "inference_pool_average_kv_cache_utilization"),
    *causes("llm_d", "waiting", "requests", "inference_pool_average_queue_size",
            "inference_extension_flow_control_queue_size"),
    *causes("llm_d", "waiting", "ratio", "inference_extension_flow_control_pool_saturation"),
    *causes("llm_d", "cold_start", "pods", "inference_pool_ready_pods"),
    *causes("llm_d", "cache_hits", "ratio", "inference_extension_prefix_indexer_hit_ratio"),
]  # fmt: skip

LITELLM: Final[list[Family]] = [
    whole(LITELLM_WHOLE, "litellm", opens=False),
    part("litellm_overhead_latency_metric", "litellm", "api_gateway", LITELLM_WHOLE),
    part("litellm_llm_api_latency_metric", "litellm", "model", LITELLM_WHOLE,
         rest="internal_network", opens=True),
    # its clock starts at the provider's call, not with the whole, so it divides nothing
    *beside("apart", "litellm", "s", "litellm_llm_api_time_to_first_token_metric",
            "litellm_request_queue_time_seconds", "litellm_redis_latency",
            "litellm_self_latency"),
    *causes("litellm", "failures", "requests", "litellm_deployment_cooled_down",
            "litellm_deployment_successful_fallbacks", "litellm_deployment_failure_responses"),
]  # fmt: skip

_ADMIN: Final = (("envoy_http_conn_manager_prefix", "admin"),)

PROXIES: Final[list[Family]] = [
    Family(ENVOY_WHOLE, "envoy", "apart", "ms", labels=_ADMIN),
    whole(ENVOY_WHOLE, "envoy", "ms", rest="api_gateway", opens=False),
    part("envoy_cluster_upstream_rq_time", "envoy", "unattributed", ENVOY_WHOLE, "ms", opens=True),
    *beside("apart", "envoy", "ms", "envoy_cluster_upstream_cx_connect_ms"),
    *causes("envoy", "waiting", "requests", "envoy_cluster_upstream_rq_pending_active"),
    *causes("envoy", "throttling", "requests", "envoy_cluster_upstream_rq_pending_overflow",
            "envoy_cluster_circuit_breakers_default_rq_open"),
    *causes("envoy", "failures", "requests", "envoy_cluster_upstream_rq_retry",
            "envoy_cluster_upstream_rq_timeout"),
    # both proxies time the same request; what lies between them is mesh and wire
    whole(ISTIO_WHOLE, "istio", "ms", rest="mesh_sidecar", opens=False,
          labels=(("reporter", "source"),)),
    part(ISTIO_WHOLE, "istio", "unattributed", ISTIO_WHOLE, "ms", opens=True,
         labels=(("reporter", "destination"),)),
    *causes("istio", "failures", "requests", "istio_requests"),
    whole(KONG_WHOLE, "kong", "ms", opens=False),
    part("kong_kong_latency_ms", "kong", "api_gateway", KONG_WHOLE, "ms"),
    part("kong_upstream_latency_ms", "kong", "unattributed", KONG_WHOLE, "ms", opens=True),
    *beside("apart", "kong", "ms", "kong_ai_llm_provider_latency_ms"),
    whole(TRAEFIK_WHOLE, "traefik", rest="api_gateway", opens=False),
    part("traefik_service_request_duration_seconds", "traefik", "unattributed", TRAEFIK_WHOLE,
         opens=True),
    *beside("apart", "traefik", "s", "traefik_router_request_duration_seconds"),
    *causes("traefik", "failures", "requests", "traefik_service_retries"),
    whole(NGINX_WHOLE, "nginx", rest="api_gateway", opens=False),
    part("nginx_ingress_controller_response_duration_seconds", "nginx", "unattributed",
         NGINX_WHOLE, opens=True),
    *beside("apart", "nginx", "s", "nginx_ingress_controller_connect_duration_seconds",
            "nginx_ingress_controller_header_duration_seconds"),
]  # fmt: skip

SERVING: Final[list[Family]] = [
    part("request_preprocess_seconds", "kserve", "pre_post_processing", ""),
    part("request_predict_seconds", "kserve", "model", ""),
    part("request_postprocess_seconds", "kserve", "pre_post_processing", ""),
    *beside("apart", "kserve", "s", "request_explain_seconds"),
    whole(RAY_WHOLE, "ray_serve", "ms"),
    part("ray_serve_request_router_fulfillment_time_ms", "ray_serve", "request_queue", RAY_WHOLE,
         "ms"),
    part("ray_serve_deployment_processing_latency_ms", "ray_serve", "model", RAY_WHOLE, "ms"),
    *beside("apart", "ray_serve", "ms", "ray_serve_batch_wait_time_ms",
            "ray_serve_batch_execution_time_ms"),
    *causes("ray_serve", "cold_start", "ms", "ray_serve_replica_startup_latency_ms",
            "ray_serve_multiplexed_model_load_latency_ms"),
    *causes("ray_serve", "waiting", "requests", "ray_serve_deployment_queued_queries"),
    *causes("ray_serve", "cold_start", "replicas", "ray_serve_autoscaling_target_replicas"),
    whole("kn.serving.invocation.duration", "knative"),
    whole("kn.queueproxy.app.duration", "knative"),
    *causes("knative", "waiting", "requests", "kn.serving.queue.depth",
            "kn.revision.request.concurrency", "kn.revision.request.queued",
            "kn.revision.request.active"),
    *causes("knative", "cold_start", "pods", "kn.revision.pods.desired",
            "kn.revision.pods.requested", "kn.revision.pods.count",
            "kn.revision.pods.pending.count", "kn.revision.panic.mode"),
    *causes("kubernetes", "cold_start", "s", "kubelet_pod_start_sli_duration_seconds",
            "kubelet_pod_start_total_duration_seconds", "kubelet_pod_start_duration_seconds"),
    *causes("kubernetes", "cold_start", "pods", "k8s.hpa.pod.desired", "k8s.hpa.pod.current",
            "k8s.deployment.pod.desired", "k8s.deployment.pod.available", "k8s.pod.status.phase",
            "k8s.pod.status.reason"),
    *causes("kubernetes", "throttling", "periods", "container_cpu_cfs_throttled_periods",
            "container_cpu_cfs_periods"),
]  # fmt: skip

_SERVER: Final = "gen_ai.server.request.duration"
_CLIENT: Final = "gen_ai.client.operation.duration"

CONVENTIONS: Final[list[Family]] = [
    whole(_SERVER, "genai_server", stage="model", opens=False),
    *beside("ttft", "genai_server", "s", "gen_ai.server.time_to_first_token", within=_SERVER),
    *beside("token", "genai_server", "s", "gen_ai.server.time_per_output_token"),
    whole(_CLIENT, "genai_client", stage="model", rest="internal_network"),
    *beside("ttft", "genai_client", "s", "gen_ai.client.operation.time_to_first_chunk",
            "gen_ai.client.time_to_first_chunk", within=_CLIENT),
    *beside("token", "genai_client", "s", "gen_ai.client.operation.time_per_output_chunk",
            "gen_ai.client.time_per_output_chunk",
            "llm.chat_completions.streaming_time_to_generate"),
    whole("http.server.request.duration", "http_server", stage="app_logic", rest="app_logic"),
    *beside("apart", "http_client", "s", "http.client.request.duration",
            "http.client.connection.duration", "http.client.request.time_in_queue",
            "dns.lookup.duration"),
    *beside("apart", "database", "s", "db.client.connection.wait_time",
            "db.client.connection.create_time", "db.client.connection.use_time",
            "db.client.operation.duration"),
    *beside("apart", "mcp", "s", "mcp.client.operation.duration", "mcp.server.operation.duration"),
    *beside("apart", "guardrails", "s", "guardrails.request.duration"),
    *causes("guardrails", "waiting", "requests", "guardrails.nonstream.queued",
            "guardrails.stream.active"),
]  # fmt: skip

HARDWARE: Final[list[Family]] = [
    *causes("dcgm", "gpu", "percent", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_MEM_COPY_UTIL"),
    *causes("dcgm", "gpu", "ratio", "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE"),
    *causes("dcgm", "gpu", "MiB", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"),
    *causes("dcgm", "throttling", "", "DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_POWER_USAGE",
            "DCGM_FI_DEV_POWER_VIOLATION", "DCGM_FI_DEV_THERMAL_VIOLATION"),
    *causes("dcgm", "kv_transfer", "bytes", "DCGM_FI_PROF_PCIE_TX_BYTES",
            "DCGM_FI_PROF_PCIE_RX_BYTES", "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"),
    *causes("dcgm", "failures", "", "DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_PCIE_REPLAY_COUNTER"),
]  # fmt: skip

PLATFORMS: Final = [*DYNAMO, *LLMD, *LITELLM, *PROXIES, *SERVING, *CONVENTIONS, *HARDWARE]
"""In the order in which a series finds its row: the first that holds it."""
