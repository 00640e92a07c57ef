"""Drawings of draft graphs: columns by kind from left to right, laid out by a library; templates render them as inline SVG."""

from stages.report.drawing.draw import draw_graph
from stages.report.drawing.sketch import Accent, Emphasis, Sketch, emphasis_of, highlighted

__all__ = ["Accent", "Emphasis", "Sketch", "draw_graph", "emphasis_of", "highlighted"]
