"""How data comes in: `read` for a file, `pull` for a service."""

from collectors.pulling import SOURCES, pull
from collectors.reading import FORMATS, read
from collectors.report import DROPPED, ReadReport, Rejected

__all__ = ["DROPPED", "FORMATS", "SOURCES", "ReadReport", "Rejected", "pull", "read"]
