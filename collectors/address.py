"""Addresses: how they are written and shown, and which machines the one door may ask."""

from __future__ import annotations

import ipaddress
import os
import socket
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from analysis.errors import UserError
from collectors.door import stripped_address
from words import _

PRIVATE: Final = "SLOWPATH_PULL_PRIVATE"
"""Environment: 1 lets pulls reach private addresses, 0 does not; where unset, see `may_private`."""

METADATA: Final = frozenset(
    {"169.254.169.254", "169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23",
     "100.100.100.200", "168.63.129.16", "192.0.0.192"}
)  # fmt: skip
"""Where clouds hand out credentials: AWS, Azure, Google, Oracle, Alibaba; never asked."""

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_open = False


def shown_url(url: str) -> str:
    """An address as messages may show it: no user, no password, no query values, no fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return stripped_address(url)
    return stripped_address(urlunsplit((*parts[:4], "")))


def base_url(url: str, keep_slash: bool = False) -> str:
    """A base address without its last slash. Raises: UserError where it is not http or https."""
    try:
        parts = urlsplit(url.strip())
        complete = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        complete = False
    if not complete:
        raise UserError(_("an address such as http://host:port"), shown_url(url) or _("none"))
    return url.strip() if keep_slash else url.strip().rstrip("/")


def set_open(reached_by_others: bool) -> None:
    """Say whether this process serves others, who must not reach its network through it."""
    global _open  # noqa: PLW0603  # one process, one door
    _open = reached_by_others


def is_open() -> bool:
    """Whether this process serves others."""
    return _open


def may_private() -> bool:
    """Whether private addresses may be asked: by the environment, else unless others are served.

    Raises: UserError where the environment says neither 0 nor 1.
    """
    said = os.environ.get(PRIVATE, "").strip()
    if said not in ("", "0", "1"):
        raise UserError(_("0 or 1"), said, PRIVATE)
    return said == "1" if said else not _open


def refuse_forbidden(url: str, where: str) -> None:
    """Raise `UserError` where any address of a URL's host may not be asked.

    A host that has no address passes: whoever asks it says so.
    """
    host = urlsplit(url).hostname or ""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return
    for address in sorted({str(entry[4][0]) for entry in found}):
        refuse_address(address, where)


def refuse_address(address: str, where: str) -> None:
    """Raise `UserError` where one IP address may not be asked."""
    ip = _plain(address)
    if str(ip) in METADATA:
        expected = _("an address that holds traces or metrics")
        raise UserError(expected, _("a cloud's metadata service"), where)
    if (not ip.is_global or ip.is_multicast) and not may_private():
        expected = _("a public address, or {name}=1 beside the app").format(name=PRIVATE)
        raise UserError(expected, _("an address inside the network"), where)


def _plain(address: str) -> IP:
    """The address meant: without a zone, and IPv4 where IPv6 only wraps it."""
    ip = ipaddress.ip_address(address.split("%", 1)[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped or ip.sixtofour:
            return ip.ipv4_mapped or ip.sixtofour or ip
        if ip in _NAT64:
            return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip
