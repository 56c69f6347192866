"""The processes of the simulated platform: who runs where, in which version, on which clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Final

SECOND: Final = 1_000_000_000
MS: Final = 1_000_000
DAY_NS: Final = 1_773_302_400 * SECOND
"""2026-03-12 08:00:00 UTC, where the sample begins."""

SKEWED_HOST: Final = "node-7"
SKEW_NS: Final = 38_114_907
"""One host whose clock runs 38 ms ahead, because its time daemon died."""

DEPLOY_NS: Final = 26 * 60 * SECOND + 11_300_000_000
"""When chat-api and assistant-api change version, counted from the start."""

VERSIONS: Final = {
    "chat-api": ("1.42.3", "1.43.0"),
    "assistant-api": ("0.19.1", "0.20.0"),
}

_LANGUAGES: Final = {
    "web": "webjs",
    "cdn-edge": "go",
    "istio-ingressgateway": "cpp",
    "chat-api.apps": "cpp",
    "assistant-api.apps": "cpp",
    "activator": "go",
}

_FIXED: Final = {
    "web": "2026.3.1",
    "cdn-edge": "7.4.0",
    "istio-ingressgateway": "1.29.1",
    "guardrails": "0.17.0",
    "llm-router": "0.1.9",
    "vllm": "0.11.2",
    "activator": "1.21.0",
    "audit-log": "2.2.0",
}


@dataclass(frozen=True)
class Place:
    """One process: what its OTLP resource says, and how far its clock is ahead (ns)."""

    service: str
    instance: str
    host: str
    version: str
    resource: tuple[tuple[str, str], ...] = field(repr=False)
    skew_ns: int = 0


@cache
def place(service: str, number: int = 0, version: str = "") -> Place:
    """The process of a service with that number (a browser session for `web`)."""
    version = version or _FIXED.get(service, "1.0.0")
    language = _LANGUAGES.get(service, "python")
    instance, host = _names(service, number)
    told = {
        "service.name": service,
        "service.version": version,
        "service.instance.id": instance,
        "telemetry.sdk.language": language,
        "telemetry.sdk.name": "envoy" if language == "cpp" else "opentelemetry",
    }
    if service == "web":
        told |= {"browser.language": "en", "browser.mobile": "true" if number % 3 else "false"}
    elif service == "cdn-edge":
        told |= {"host.name": host, "cloud.region": "eu-central" if number else "eu-west"}
    else:
        told |= {"host.name": host, "k8s.pod.name": instance, "k8s.namespace.name": "apps"}
    skew = SKEW_NS if host == SKEWED_HOST else 0
    return Place(service, instance, host, version, tuple(told.items()), skew)


def _names(service: str, number: int) -> tuple[str, str]:
    if service == "web":
        return f"tab-{number:05x}", ""
    if service == "cdn-edge":
        name = f"edge-{('dub', 'fra')[number]}-{number + 3}"
        return name, name
    if service == "vllm":
        return f"vllm-{number}", f"gpu-node-{number}"
    if service == "guardrails":
        return f"guardrails-6b9f7c-{('x2k8v', 'm7qpt', 'z4wld')[number]}", f"node-{5 + number}"
    pod = f"{service.split('.', maxsplit=1)[0]}-{_stable(service):06x}-{('hq4zn', 'b8t2c')[number]}"
    return pod, f"node-{1 + (_stable(service) + number) % 4}"


def _stable(text: str) -> int:
    """A small number that depends on the text alone, unlike `hash`."""
    value = 7
    for letter in text.encode():
        value = (value * 31 + letter) % 0xFFFFF1
    return value


def app(service: str, number: int, at_ns: int) -> Place:
    """The pod of an application: the second pod of a service is replaced 40 s after the first."""
    old, new = VERSIONS[service]
    replaced = at_ns >= DAY_NS + DEPLOY_NS + number * 40 * SECOND
    return place(service, number, new if replaced else old)
