"""Drawings of draft graphs and charts, as inline SVG."""
