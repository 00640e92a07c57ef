"""Drawings of drafted graphs: columns by kind from left to right, laid out by a library, written as inline SVG."""

from stages.report.drawing.emphasis import NONE, Accent, Emphasis, of_findings
from stages.report.drawing.svg import Drawing, drawn

__all__ = ["NONE", "Accent", "Drawing", "Emphasis", "drawn", "of_findings"]
