"""Drawings of draft graphs: columns by kind from left to right, laid out by a library; templates render them as inline SVG."""

from stages.report.drawing.emphasis import NO_EMPHASIS, Accent, Emphasis, emphasis_of
from stages.report.drawing.sketch import Sketch, draw_graph

__all__ = ["NO_EMPHASIS", "Accent", "Emphasis", "Sketch", "draw_graph", "emphasis_of"]
