"""How data comes in: `read` a file, `pull` from a service, `received` from an exporter."""

from collectors.address import set_open
from collectors.credentials import revealed
from collectors.pulling import SOURCES, pull
from collectors.reading import FORMATS, read
from collectors.receiving import JSON, MAX_BODY, PROTOBUF, TooLargeError, received, unpacked
from collectors.report import DROPPED, ReadReport, Rejected

__all__ = [
    "DROPPED",
    "FORMATS",
    "JSON",
    "MAX_BODY",
    "PROTOBUF",
    "SOURCES",
    "ReadReport",
    "Rejected",
    "TooLargeError",
    "pull",
    "read",
    "received",
    "revealed",
    "set_open",
    "unpacked",
]
