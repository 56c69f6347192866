"""All that a technique may look at: the selected requests, their spans and calls, and metrics."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.advice.load import Load, load, running
from analysis.advice.token_rates import Rate, rate
from analysis.replay.compiling import compile_requests
from analysis.replay.model import UNKNOWN, Ints, Mask, Model, whole

Numbers = NDArray[np.float64]

PROVIDERS: Final = re.compile(
    r"openai|anthropic|azure|bedrock|vertex|gemini|google|cohere|mistral_ai|groq|deepseek|together"
    r"|fireworks|perplexity|xai|x_ai",
    re.I,
)
ENGINES: Final = re.compile(r"vllm|sglang|tgi|text.generation|triton|tensorrt|lmdeploy|llama", re.I)
PROVIDER_KEYS: Final = ("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system")


@dataclass(frozen=True, eq=False)
class Evidence:
    """Frames in the schemas of analysis/derived.py (metrics: METRIC_SCHEMA), rows in any order.

    Build it with `evidence(...)`, which keeps the rows of the selected requests only.
    """

    requests: pd.DataFrame
    spans: pd.DataFrame
    calls: pd.DataFrame
    segments: pd.DataFrame
    metrics: pd.DataFrame

    @cached_property
    def model(self) -> Model:
        """The requests compiled for re-timing; node ids are rows of `spans`."""
        return compile_requests(self.requests, self.spans, self.calls)

    @cached_property
    def counted(self) -> Mask:
        """Requests that percentiles count."""
        return ~self.requests["excluded"].to_numpy(bool)

    def total_ns(self, *stages: str, prefix: str = "") -> Ints:
        """Per request ns on the path in these stages; prefix `ttft_`: up to the first token."""
        columns = [f"{prefix}{stage}_ns" for stage in stages]
        held = [whole(self.requests[name]) for name in columns if name in self.requests]
        none = np.zeros(len(self.requests), np.int64)
        return np.maximum(np.sum(held, axis=0), 0).astype(np.int64) if held else none

    def share_of(self, *stages: str) -> tuple[float, str]:
        """The stages' share of all time, and of what: "e2e" or "ttft", the larger share."""
        shares = [(0.0, "e2e")]
        wholes = (("", self.model.e2e_ns, "e2e"), ("ttft_", self.model.ttft_ns, "ttft"))
        for prefix, whole_ns, name in wholes:
            rows = self.counted & (whole_ns > 0)
            if whole_ns[rows].sum() > 0:
                part = self.total_ns(*stages, prefix=prefix)[rows].sum()
                shares.append((float(part / whole_ns[rows].sum()), name))
        return max(shares, key=lambda found: found[0])

    def share(self, *stages: str) -> float:
        """The stages' share of all time, end to end or up to the first token: the larger one."""
        return self.share_of(*stages)[0]

    def busy_requests(self, *stages: str) -> Ints:
        """The stages' ns in counted requests that spend any time in them."""
        total = self.total_ns(*stages)[self.counted]
        return total[total > 0]

    # spans

    @cached_property
    def span_names(self) -> NDArray[np.object_]:
        """Names of the spans, by node."""
        return self.spans["name"].fillna("").to_numpy(object)

    @cached_property
    def stages(self) -> list[str]:
        """Stages of the spans, by node."""
        return list(self.spans["stage"])

    @cached_property
    def on_path(self) -> Mask:
        """Nodes that own an instant of their request, by node."""
        return self.spans["self_ns"].to_numpy(np.int64) > 0

    def in_stage(self, *stages: str) -> Mask:
        """Nodes of these stages."""
        return np.asarray(self.spans["stage"].isin(stages).to_numpy(bool))

    def named(self, pattern: str) -> Mask:
        """Nodes whose name holds this regular expression, case ignored."""
        matcher = re.compile(pattern, re.I)
        hits = {name: matcher.search(name) is not None for name in set(self.span_names)}
        return np.fromiter((hits[name] for name in self.span_names), bool, len(self.span_names))

    @cached_property
    def lengths_ns(self) -> Ints:
        """Lengths of the spans, by node."""
        spans = self.spans
        return np.asarray(spans["end_ns"].to_numpy(np.int64) - spans["start_ns"].to_numpy(np.int64))

    @cached_property
    def attributes(self) -> list[dict[str, Any]]:
        """Attributes of the spans, by node."""
        return [json.loads(text) if text else {} for text in self.spans["attributes"].fillna("")]

    def attribute(self, *keys: str, node: int) -> Any:
        """The first of these attributes that a span carries; None without."""
        held = self.attributes[node]
        return next((held[key] for key in keys if key in held), None)

    # calls

    @cached_property
    def call_node(self) -> Ints:
        """Rows of `calls` -> nodes."""
        names = zip(*(self.spans[name] for name in ("trace_id", "root_key", "key")), strict=True)
        find = {name: node for node, name in enumerate(names)}
        wanted = zip(*(self.calls[name] for name in ("trace_id", "root_key", "key")), strict=True)
        return np.asarray([find.get(name, UNKNOWN) for name in wanted], dtype=np.int64)

    @cached_property
    def call_request(self) -> Ints:
        """Rows of `calls` -> requests."""
        return np.asarray(self.model.request[self.call_node], dtype=np.int64)

    @cached_property
    def _call_columns(self) -> dict[str, Ints]:
        return {}

    def call(self, column: str) -> Ints:
        """A whole-number column of `calls`, `UNKNOWN` where it is null."""
        if column not in self._call_columns:
            self._call_columns[column] = whole(self.calls[column])
        return self._call_columns[column]

    @cached_property
    def call_ns(self) -> Ints:
        """Lengths of the calls."""
        return self.call("end_ns") - self.call("start_ns")

    @cached_property
    def call_host(self) -> list[str]:
        """The host that served each call, "" where its spans name none."""
        hosts = self.spans["host"].fillna("").tolist()
        return [hosts[node] for node in self.call_node]

    @cached_property
    def uncached_tokens(self) -> Ints:
        """Input tokens that each call had to prefill; all where the cache is not reported."""
        sent, cached = self.call("input_tokens"), np.maximum(self.call("cached_tokens"), 0)
        return np.where(sent == UNKNOWN, UNKNOWN, np.maximum(sent - cached, 0))

    @cached_property
    def concurrency(self) -> Ints:
        """How many calls of the same model run when each call is first served."""
        begun = self.call("start_ns") + np.maximum(self.call("queue_ns"), 0)
        found, models = np.ones(len(self.calls), np.int64), self.calls["model"].fillna("")
        for model in models.unique():
            rows = (models == model).to_numpy(bool)
            found[rows] = running(begun[rows], self.call("end_ns")[rows])
        return found

    @property
    def crowd(self) -> int:
        """How many calls run at once at the 95th percentile of calls; 0 without calls."""
        return int(np.percentile(self.concurrency, 95)) if len(self.calls) else 0

    @cached_property
    def load(self) -> Load | None:
        """The calls whose queue is known, seen as one queue."""
        rows = self.call("queue_ns") != UNKNOWN
        return load(*(self.call(c)[rows] for c in ("start_ns", "queue_ns", "end_ns")))

    @cached_property
    def operator(self) -> str:
        """Who runs the models: `self` (an engine's marks or name), `provider` or `unknown`."""
        marks = (self.call("queue_ns") != UNKNOWN) | (self.call("prefill_ns") != UNKNOWN)
        emitters = self.calls["emitter"].fillna("").unique()
        if marks.any() or any(ENGINES.search(emitter) for emitter in emitters):
            return "self"
        names = (self.attribute(*PROVIDER_KEYS, node=int(node)) for node in self.call_node)
        hosted = any(PROVIDERS.search(str(name)) for name in names if name)
        return "provider" if hosted else "unknown"

    def rates(self, tokens: Ints, lengths_ns: Ints) -> Mapping[str, Rate]:
        """Per model the time of a token; both arrays run over `calls`, `UNKNOWN` left out."""
        models, usable = self.calls["model"].fillna(""), (tokens > 0) & (lengths_ns >= 0)
        found = {}
        for model in sorted(models.unique()):
            rows = usable & (models == model).to_numpy(bool)
            found[model] = rate(tokens[rows].astype(float), lengths_ns[rows].astype(float))
        return found

    def per_token_ns(self, tokens: Ints, lengths_ns: Ints) -> Numbers:
        """The fitted time of a token for every call, NaN where its model's fit is refused."""
        rates = self.rates(tokens, lengths_ns)
        slopes = [rates[model].per_token_ns for model in self.calls["model"].fillna("")]
        return np.asarray([np.nan if slope is None else slope for slope in slopes])

    # choices

    def drawn(self, names: list[str], part: float, salt: str) -> Mask:
        """A part of these names, always the same ones: those whose digest falls under `part`."""
        places = [hashlib.blake2b(f"{salt}:{n}".encode(), digest_size=8).digest() for n in names]
        limit = part * 2.0**64
        return np.fromiter((int.from_bytes(p, "big") < limit for p in places), bool, len(names))


def evidence(
    requests: pd.DataFrame,
    spans: pd.DataFrame,
    calls: pd.DataFrame,
    segments: pd.DataFrame | None = None,
    metrics: pd.DataFrame | None = None,
) -> Evidence:
    """Evidence on the requests given; spans, calls and segments of others are left out."""
    chosen = pd.MultiIndex.from_frame(requests[["trace_id", "root_key"]])

    def kept(frame: pd.DataFrame) -> pd.DataFrame:
        rows = pd.MultiIndex.from_frame(frame[["trace_id", "root_key"]]).isin(chosen)
        return frame[rows].reset_index(drop=True)

    spans = kept(spans)
    known = pd.MultiIndex.from_frame(spans[["trace_id", "root_key", "key"]])
    calls = kept(calls)
    there = pd.MultiIndex.from_frame(calls[["trace_id", "root_key", "key"]]).isin(known)
    return Evidence(
        requests.reset_index(drop=True),
        spans,
        calls[there].reset_index(drop=True),
        pd.DataFrame() if segments is None else kept(segments),
        pd.DataFrame() if metrics is None else metrics.reset_index(drop=True),
    )
