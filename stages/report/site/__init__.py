"""The site: pages that answer which model to take, how sure that is, what it costs and what went wrong; no network, no server."""

from stages.report.site.build import build
from stages.report.site.evidence import Each, Evidence, Find, Page

__all__ = ["Each", "Evidence", "Find", "Page", "build"]
