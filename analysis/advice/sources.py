"""The works that techniques lean on: key -> (title, address); titles are never translated."""

from __future__ import annotations

from typing import Final

SOURCES: Final[dict[str, tuple[str, str | None]]] = {
    "anth-pc": ("Anthropic: Prompt caching", "https://claude.com/blog/prompt-caching"),
    "anyscale": (
        "Anyscale: 100 input tokens ~ 1 output token (Llama-2-70B endpoints)",
        "https://www.anyscale.com/blog/reproducible-performance-metrics-for-llm-inference",
    ),
    "asynclm": ("Asynchronous LLM Function Calling (AsyncLM), abstract", None),
    "az": ("Cross-AZ latency notes", "https://duckkit.dev/glossary/cross-az-latency"),
    "azure": (
        "Azure LLM inference trace 2023 (CC-BY; Splitwise, ISCA 2024), recomputed",
        "https://github.com/Azure/AzurePublicDataset",
    ),
    "bf16death": (
        "Give Me BF16 or Give Me Death? (arXiv 2411.02355, ACL 2025)",
        "https://arxiv.org/abs/2411.02355",
    ),
    "ccot": (
        "Concise Chain-of-Thought (arXiv 2401.05618), abstract",
        "https://arxiv.org/abs/2401.05618",
    ),
    "cfs": (
        "Kubernetes CPU throttling autopsy; Buffer: removing CPU limits",
        "https://www.michal-drozd.com/en/blog/k8s-cpu-throttling/",
    ),
    "cod": ("Chain of Draft (arXiv 2502.18600), abstract", "https://arxiv.org/abs/2502.18600"),
    "coroot": (
        "Coroot: OpenTelemetry for Go, measuring the overhead",
        "https://coroot.com/blog/opentelemetry-for-go-measuring-the-overhead/",
    ),
    "eagle3": ("EAGLE-3 (arXiv 2503.01840), abstract", "https://arxiv.org/abs/2503.01840"),
    "eks": (
        "How llm-d prefix-cache routing made Qwen 7B on EKS 2.3x faster",
        "https://andygolubev.com/articles/how-llm-d-prefix-cache-routing-made-qwen-7b-on-eks-2-3x-faster/",
    ),
    "gkehpa": (
        "GKE: best practices for autoscaling LLM inference",
        "https://docs.cloud.google.com/kubernetes-engine/docs/best-practices/machine-learning/inference/autoscaling",
    ),
    "gkeig": (
        "GKE Inference Gateway: Google's estimates at Cloud Next 2025, as given in press reports",
        "https://cloud.google.com/kubernetes-engine/docs/concepts/about-gke-inference-gateway",
    ),
    "gptsem": ("GPT Semantic Cache (arXiv 2411.05276)", "https://arxiv.org/abs/2411.05276"),
    "istio": (
        "Istio docs: Performance and Scalability (1.7/1.8, 1.20, 1.22 editions)",
        "https://github.com/istio/istio.io",
    ),
    "k8shpa": (
        "Kubernetes docs: Horizontal Pod Autoscaling",
        "https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/",
    ),
    "leviathan": (
        "Fast Inference from Transformers via Speculative Decoding (arXiv 2211.17192)",
        "https://arxiv.org/abs/2211.17192",
    ),
    "lingua": ("LLMLingua (arXiv 2310.05736)", "https://arxiv.org/abs/2310.05736"),
    "lingua2": ("LLMLingua-2 (arXiv 2403.12968), abstract", "https://arxiv.org/abs/2403.12968"),
    "litellm": ("LiteLLM proxy benchmarks", "https://github.com/BerriAI/litellm"),
    "llmcompiler": (
        "LLMCompiler (arXiv 2312.04511, ICML 2024), abstract",
        "https://arxiv.org/abs/2312.04511",
    ),
    "llmd": ("llm-d: KV-cache wins you can see", "https://llm-d.ai/blog/kvcache-wins-you-can-see"),
    "marlin": (
        "Marlin FP16xINT4 kernel README (paper arXiv 2408.11743)",
        "https://github.com/IST-DASLab/marlin",
    ),
    "nemo": ("NVIDIA NeMo Guardrails product page", "https://developer.nvidia.com/nemo-guardrails"),
    "nginx": (
        "nginx docs: ngx_http_proxy_module, proxy_buffering / X-Accel-Buffering",
        "https://nginx.org/en/docs/http/ngx_http_proxy_module.html",
    ),
    "nodelocal": (
        "Kubernetes docs: NodeLocal DNSCache; kubernetes/kubernetes issue 56903",
        "https://github.com/kubernetes/website",
    ),
    "openai-lat": (
        "OpenAI docs: Latency optimization",
        "https://developers.openai.com/api/docs/guides/latency-optimization",
    ),
    "openai-pc": (
        "OpenAI Cookbook: Prompt Caching 201",
        "https://github.com/openai/openai-cookbook",
    ),
    "prequal": (
        "Load is not what you should balance: Introducing Prequal (NSDI 2024), abstract",
        "https://research.google/pubs/load-is-not-what-you-should-balance-introducing-prequal/",
    ),
    "queue": (
        "Kingman 1961; Allen-Cunneen approximation; Erlang C (textbook)",
        "https://en.wikipedia.org/wiki/Kingman%27s_formula",
    ),
    "quic": (
        "The QUIC Transport Protocol (SIGCOMM 2017)",
        "https://dl.acm.org/doi/10.1145/3098822.3098842",
    ),
    "ragcache": ("RAGCache (arXiv 2404.12457), abstract", "https://arxiv.org/abs/2404.12457"),
    "routellm": ("RouteLLM README (paper arXiv 2406.18665)", "https://github.com/lm-sys/RouteLLM"),
    "rubyoa": (
        "ruby-openai PR 636: reuse connection (10 live calls)",
        "https://github.com/alexrudall/ruby-openai/pull/636",
    ),
    "runai": ("Run:ai Model Streamer benchmarks", "https://github.com/run-ai/runai-model-streamer"),
    "sbert": (
        "Sentence Transformers docs: pretrained cross-encoders (docs/sec table)",
        "https://github.com/UKPLab/sentence-transformers",
    ),
    "sdbench": (
        "Speculative Decoding: Performance or Illusion? (arXiv 2601.11580) and SpecDecode-Bench",
        "https://specdecode-bench.github.io",
    ),
    "sglang04": (
        "SGLang v0.4 release notes (cache-aware balancer)",
        "https://lmsys.org/blog/2024-12-04-sglang-v0-4/",
    ),
    "slacker": (
        "Slacker (FAST 2016), abstract",
        "https://www.usenix.org/conference/fast16/technical-sessions/presentation/harter",
    ),
    "sleep": ("vLLM blog: sleep mode", "https://blog.vllm.ai/2025/10/26/sleep-mode.html"),
    "sllm": (
        "ServerlessLLM (OSDI 2024), abstract",
        "https://www.usenix.org/conference/osdi24/presentation/fu",
    ),
    "smg": ("SMG docs: Cache-aware routing", "https://github.com/lightseekorg/smg"),
    "sre": ("Google SRE book: Handling Overload", "https://sre.google/sre-book/handling-overload/"),
    "tail": (
        "The Tail at Scale (Dean & Barroso, CACM 2013)",
        "https://cacm.acm.org/research/the-tail-at-scale/",
    ),
    "tls": ("RFC 8446 (TLS 1.3), RFC 9000/9001 (QUIC)", "https://www.rfc-editor.org/rfc/rfc8446"),
    "vllm-fp8": (
        "vLLM docs: FP8 W8A8",
        "https://docs.vllm.ai/en/latest/features/quantization/fp8/",
    ),
    "vllm-kvq": (
        "vLLM docs: Quantized KV Cache (measured table, Qwen3-4B on L4)",
        "https://github.com/vllm-project/vllm",
    ),
    "vllm-opt": (
        "vLLM docs: Optimization and Tuning",
        "https://docs.vllm.ai/en/stable/configuration/optimization/",
    ),
    "vllm-pd": ("vLLM docs: Disaggregated Prefilling", "https://github.com/vllm-project/vllm"),
    "vllm-sdblog": (
        "vLLM blog: How Speculative Decoding Boosts vLLM Performance by up to 2.8x",
        "https://blog.vllm.ai/2024/10/17/spec-decode.html",
    ),
    "vllm060": (
        "vLLM blog: v0.6.0 performance update",
        "https://blog.vllm.ai/2024/09/05/perf-update.html",
    ),
}


def cited(key: str) -> str:
    """The title of a source; its key where it is not listed."""
    return SOURCES[key][0] if key in SOURCES else key
