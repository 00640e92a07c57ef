"""Badges: the small numbers beside what stands out."""

from html import escape

from stages.report.drawing.emphasis import Accent


def badge(x: float, y: float, accent: Accent) -> str:
    """A badge around a point."""
    half = 8 + 3 * max(len(accent.badge) - 1, 0)
    return (
        f'<g class="badge {accent.look}"><rect x="{x - half:.0f}" y="{y - 8:.0f}" width="{2 * half}" height="16" rx="8"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}">{escape(accent.badge)}</text></g>'
    )
