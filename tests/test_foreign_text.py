"""Text that somebody else wrote costs time that is linear in its length: every regular expression of the house, as the code calls it, on long runs of every kind of character."""

import ast
import importlib
import re
import time

import pytest
import regex

from tests import REPOSITORY

PACKAGE = REPOSITORY / "graph_evaluator"
RUNS = [
    *"aA1_ \t\n\\/\"'`{}[]()<>&%.,;:-+=*#@|!?$~^é中\u0301\u200d\u2028\x00\ud800’١",
    "```", "<think>", "&amp;", "&#0", "&#x0", "%25", "%2", r"\u00", r"\u0026", r"\n", "\\/", "--",
    "sk-", "sk-a", "eyJ", "Bearer ", "a ", "1.", "1,", "1e", "-1", " 1", "a-", "a_", "a.", "a'",
    "GH", "www.", "http://", "<a", "</", "$1", "aA", "e9", "one ", "I’", "yes ", "per cent ",
]  # fmt: skip
LENGTHS = (1_000, 8_000, 32_000)
"""The shorter ones first, as a pattern of the third degree would never end on the longest."""
MOST_S = 0.3
METHODS = {"match", "fullmatch", "search", "findall", "finditer", "split", "sub"}


def methods_of(name, attributes):
    """How a module uses a pattern that it names; a search where it is handed on."""
    used = {node.attr for node in attributes if ast.unparse(node.value) == name}
    return used or {"search"}


def in_value(value):
    """The patterns that a value is or has in it."""
    if isinstance(value, re.Pattern | regex.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict):
        yield from in_value([*value, *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        for entry in value:
            yield from in_value(entry)


def every_pattern():
    """Every pattern of the package with the name of its module, and how it is used."""
    for file in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
        short = name.removeprefix("graph_evaluator.")
        module = vars(importlib.import_module(name.removesuffix(".__init__")))
        if module.keys().isdisjoint({"re", "regex"}):
            continue
        nodes = list(ast.walk(ast.parse(file.read_text())))
        used = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr in METHODS]
        assigned = {
            node.id
            for node in nodes
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for own in sorted(assigned & module.keys()):
            for number, pattern in enumerate(in_value(module[own])):
                for method in sorted(methods_of(own, used)):
                    yield f"{short} {own} {number} {method}", pattern, method
        # patterns that are passed to `re.METHOD` or `regex.METHOD`
        for node in nodes:
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=method),
                    args=[ast.Constant(value=str(text)), *_],
                ) if method in METHODS:
                    yield f"{short} {text} {method}", re.compile(text), method


PATTERNS = list(every_pattern())


def seconds(pattern, method, text):
    """The processor's time that one call takes."""
    function = getattr(pattern, method)
    started = time.process_time()
    found = function("", text) if method == "sub" else function(text)
    if method == "finditer":
        list(found)
    return time.process_time() - started


@pytest.mark.parametrize(
    ("pattern", "method"), [entry[1:] for entry in PATTERNS], ids=[entry[0] for entry in PATTERNS]
)
def test_a_pattern_takes_time_that_is_linear_in_a_text(pattern, method):
    for length in LENGTHS:
        for run in RUNS:
            text = run * (length // len(run)) + "\x01"
            assert seconds(pattern, method, text) < MOST_S, (run, length)
