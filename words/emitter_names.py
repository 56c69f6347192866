"""How the emitters of metrics call themselves: proper names, the same in every language."""

from typing import Final

EMITTERS: Final = {
    "vllm": "vLLM", "sglang": "SGLang", "sglang_stages": "SGLang", "tgi": "TGI",
    "triton": "Triton", "tensorrt_llm": "TensorRT-LLM", "llama_cpp": "llama.cpp",
    "prodstack": "vLLM production stack", "dynamo": "Dynamo", "llm_d": "llm-d",
    "llm_d_older": "llm-d", "litellm": "LiteLLM", "envoy": "Envoy", "istio": "Istio",
    "kong": "Kong", "traefik": "Traefik", "nginx": "nginx", "kserve": "KServe",
    "ray_serve": "Ray Serve", "knative": "Knative", "kubernetes": "Kubernetes", "dcgm": "DCGM",
    "genai_server": "gen_ai.server", "genai_client": "gen_ai.client",
    "http_server": "http.server", "http_client": "http.client", "database": "db.client",
    "mcp": "MCP", "guardrails": "guardrails",
}  # fmt: skip
"""Emitter -> how it calls itself."""
