"""No regular expression over a foreign text takes more than linear time."""

import importlib
import pkgutil
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import graph_evaluator

ROOMS = ("score", "language", "report", "briefs", "records", "present", "graph")
RUNS = (
    "a", "A", "é", "aB", "ABc", "_", "-", "- ", "9", "9 ", "9.", "1,2", "1,234,", "½", "٤", "漢", "一", "十分の", "カ", "あ",
    "ก", "한", "ال", "\u0301", "\u0301\u0316", "\uff9e", " ", "\t", "\n", "\u00a0", "\\", "\\\\\"", "\"", "\"a\"", "'", "a'", "{", "[",
    "(", "<", "<b>", "&", "#", "*", "`", "|", "~", "!", "@", "=", "+", "$", "%", "9%", "€", ":", "https:", "www.", "//", "---\n", "sk-",
    "a raises ", "no.", "GH-", "data:", "Infinity", "\"label\":", "👩\u200d", "\u202e", "\x00", "\ud800", "ﷺ",
)  # fmt: skip
LENGTH = 6_000
WITHIN_S = 0.15
"""A text of this length takes a linear pattern a millisecond, a quadratic one a second."""


def patterns() -> Iterator[tuple[str, Any]]:
    """Every compiled pattern that a module of these rooms has under a name."""
    for module in pkgutil.walk_packages(graph_evaluator.__path__, "graph_evaluator."):
        if module.name.split(".")[1] in ROOMS and not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if hasattr(value, "fullmatch") and hasattr(value, "pattern"):
                    yield f"{module.name}.{name}", value


def test_every_pattern_reads_a_long_run_of_any_characters_in_linear_time() -> None:
    slow: list[tuple[str, str]] = []
    named = dict(patterns())
    assert len(named) > 20
    for (name, pattern), run in product(named.items(), RUNS):
        text = (run * LENGTH)[:LENGTH]
        begun = time.process_time()
        for _ in pattern.finditer(f"{text}\x01"):
            pass
        pattern.fullmatch(f"{text}\x01")
        pattern.fullmatch(f"---\n{text}\x01")
        if time.process_time() - begun > WITHIN_S:
            slow.append((name, run))
    assert slow == []
