"""Privacy at the door: what carries content, credentials or query values never gets in.

Keys are judged once each by `collectors.secrets`. Values are looked at only where they hold an
address (`://`), a bearer token or a command line. `keep_content` lets content in, nothing else.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from collectors.report import ReadReport
from collectors.secrets import treatment

REPLACED: Final = "REDACTED"
"""Stands where a query value, a password in an address or a secret option stood."""

_QUERY_VALUE: Final = re.compile(r"([?&;][^=&?#\s;]+=)[^&#\s;\"'<>]+")
_BARE_QUERY: Final = re.compile(r"(^|[&;])([^=&;\s]+=)[^&;\s]+")
_USERINFO: Final = re.compile(r"(://)[^/@\s?#]+@")
_OPTION: Final = re.compile(
    r"((?:pass(?:word|wd)?|secret|token|api[-_]?key|credential|private[-_]?key)[\w.-]*[=:\s]\s*)"
    r"(?!-)\S+",
    re.IGNORECASE,
)
_OPTION_NAME: Final = re.compile(
    r"^--?[\w-]*(?:password|passwd|secret|token|api[-_]?key|credential)s?$", re.IGNORECASE
)
_TOKEN: Final = re.compile(r"^(?:bearer|basic|token)\s+\S{8,}|^sk-[\w-]{16,}|^eyJ[\w-]+\.eyJ", re.I)
_WORD: Final = 64


def stripped_address(address: str) -> str:
    """An address without what identifies or authorises: user info gone, query values replaced."""
    return _USERINFO.sub(r"\1", _QUERY_VALUE.sub(rf"\g<1>{REPLACED}", address))


class Door:
    """Redacts the attributes of one import and counts what was kept out in its report."""

    def __init__(self, report: ReadReport, keep_content: bool = False) -> None:
        self._report = report
        self._keep_content = keep_content

    def attributes(
        self, attributes: dict[str, Any], in_genai_event: bool = False
    ) -> dict[str, Any]:
        """The attributes that may pass; the same object where all of them may."""
        changed: dict[str, Any] = {}
        gone: list[str] = []
        for key, value in attributes.items():
            action = treatment(key)
            if in_genai_event and key in ("message", "tool_calls"):
                action = "content"
            if action == "content" and (
                self._keep_content or isinstance(value, bool | int | float)
            ):
                action = "keep"
            if action in ("content", "credentials", "headers"):
                self._report.drop(action)
                gone.append(key)
            elif (kept := self._value(value, action)) is not value:
                if kept is None:
                    gone.append(key)
                else:
                    changed[key] = kept
        if not changed and not gone:
            return attributes
        return {
            key: changed.get(key, value) for key, value in attributes.items() if key not in gone
        }

    def events(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Events with their names and attributes redacted."""
        if not events:
            return events
        return [
            {
                **event,
                "name": self.name(event["name"]),
                "attributes": self.attributes(
                    event["attributes"], event["name"].startswith(("gen_ai.", "llm."))
                ),
            }
            for event in events
        ]

    def name(self, name: str) -> str:
        """A span's name; addresses in it lose their query values."""
        if "?" not in name and "://" not in name:
            return name
        return self._address(name)

    def _value(self, value: Any, action: str) -> Any:
        if isinstance(value, str):
            return self._text(value, action)
        if isinstance(value, dict):
            return self.attributes(value)
        if isinstance(value, list):
            if action == "command":
                return self._arguments(value)
            kept = [self._value(item, action) for item in value]
            same = all(old is new for old, new in zip(value, kept, strict=True))
            return value if same else [item for item in kept if item is not None]
        return value

    def _text(self, value: str, action: str) -> str | None:
        if action == "url":
            return self._address(value, bare=True)
        if action == "command":
            return self._counted(value, _OPTION.sub(rf"\g<1>{REPLACED}", value), "credentials")
        if action == "parameters" and not self._keep_content:
            return self._parameters(value)
        if "://" in value:
            return self._address(value)
        if _TOKEN.match(value):
            self._report.drop("credentials")
            return None
        return value

    def _address(self, value: str, bare: bool = False) -> str:
        without = self._counted(value, _USERINFO.sub(r"\1", value), "credentials")
        query = _QUERY_VALUE.sub(rf"\g<1>{REPLACED}", without)
        if bare and "?" not in query and "/" not in query and "=" in query:
            query = _BARE_QUERY.sub(rf"\g<1>\g<2>{REPLACED}", query)
        return self._counted(without, query, "url_query")

    def _arguments(self, arguments: list[Any]) -> list[Any]:
        kept, secret = [], False
        for argument in arguments:
            if secret and isinstance(argument, str):
                self._report.drop("credentials")
                kept.append(REPLACED)
            else:
                kept.append(self._value(argument, "command"))
            secret = isinstance(argument, str) and bool(_OPTION_NAME.match(argument))
        return arguments if kept == arguments else kept

    def _parameters(self, value: str) -> str:
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        if not isinstance(parsed, dict):
            return self._counted(value, "{}", "content")
        kept = {key: item for key, item in parsed.items() if _is_setting(key, item)}
        return value if kept == parsed else self._counted(value, json.dumps(kept), "content")

    def _counted(self, before: str, after: str, kind: str) -> str:
        if before == after:
            return before
        self._report.drop(kind)
        return after


def _is_setting(key: str, value: object) -> bool:
    if treatment(key) != "keep":
        return False
    return isinstance(value, bool | int | float) or (
        isinstance(value, str) and len(value) <= _WORD and "\n" not in value
    )
