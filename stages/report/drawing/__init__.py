"""Drawings of draft graphs, for a template that renders them as inline SVG."""
