"""What one case demands, and where the project's answer differs."""

import math
from collections.abc import Mapping
from typing import Any

from stages.contracts.brief import Expectations
from stages.contracts.response import Response
from stages.contracts.scoring_rules import ScoringRules
from stages.generate.extraction import extract
from stages.score import score

Case = Mapping[str, Any]

TOLERANCE = 1e-9
RULES = ScoringRules()
ASIDE = {"exact-but-cycle": ("CYCLE_DETECTED", "DUPLICATE_NODE_ID")}
SCORES = ("param_quality", "option_diff", "completeness", "overall_score")


def disagreements(case: Case) -> list[str]:
    """Where the project disagrees with a case, one sentence each; empty when it agrees."""
    if "graph" in case:
        return _about_score(case)
    if "raw" in case or "raw_recipe" in case:
        return _about_extraction(case)
    return ["the case has neither a graph nor a raw text"]


def _about_score(case: Case) -> list[str]:
    response = Response(model_id="m", brief_id="b", sample=1, status="success", parsed_graph=case["graph"])
    try:
        card = score(response, Expectations.model_validate(case.get("brief") or {}), RULES)
    except Exception as error:  # noqa: BLE001 - a crash is a disagreement
        return [f"scoring raised {type(error).__name__}: {error}"]
    check, expected = case["check"], case["expected"]
    if check == "free":
        return []
    if check == "rejected":
        named = any(finding.code == "INVALID_SCHEMA" and finding.path for finding in card.violations)
        if card.structural_valid or "INVALID_SCHEMA" not in card.violation_codes or not named:
            return [f"INVALID_SCHEMA with a path expected, found {list(card.violation_codes)}"]
        return []
    aside = ASIDE.get(check, ())
    found: list[str] = []
    codes = [code for code in card.violation_codes if code not in aside]
    wanted = [code for code in expected["violation_codes"] if code not in aside]
    if codes != wanted:
        found.append(f"violation_codes: expected {wanted}, found {codes}")
    if not aside and card.structural_valid != expected["structural_valid"]:
        found.append(f"structural_valid: expected {expected['structural_valid']}, found {card.structural_valid}")
    for key in SCORES:
        if not _near(getattr(card, key), expected[key]):
            found.append(f"{key}: expected {expected[key]!r}, found {getattr(card, key)!r}")
    for key in ("node_count", "edge_count"):
        if getattr(card, key) != expected[key]:
            found.append(f"{key}: expected {expected[key]}, found {getattr(card, key)}")
    if (
        "DUPLICATE_NODE_ID" in aside
        and _repeats_an_id(case["graph"])
        and "DUPLICATE_NODE_ID" not in card.violation_codes
    ):
        found.append("a repeated id must be told as DUPLICATE_NODE_ID")
    return found


def _repeats_an_id(graph: Any) -> bool:
    ids = [node["id"] for node in graph["nodes"]]
    return len(set(ids)) < len(ids)


def _near(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return abs(found - expected) <= TOLERANCE


def _about_extraction(case: Case) -> list[str]:
    try:
        found = extract(raw_text(case))
    except Exception as error:  # noqa: BLE001 - a crash is a disagreement
        return [f"extraction raised {type(error).__name__}: {error}"]
    if case["check"] == "free":
        return []
    expected = case["expected"]
    told: list[str] = []
    if found.method != expected["method"]:
        told.append(f"method: expected {expected['method']}, found {found.method}")
    if found.attempted != expected["extraction_attempted"]:
        told.append(f"extraction_attempted: expected {expected['extraction_attempted']}, found {found.attempted}")
    if "parsed_omitted" in expected:
        shape = {"depth": _depth(found.parsed), "type": _type(found.parsed)}
        if shape != expected["parsed_omitted"]:
            told.append(f"parsed: expected {expected['parsed_omitted']}, found {shape}")
    elif not same_json(found.parsed, expected["parsed"]):
        told.append(f"parsed: expected {str(expected['parsed'])[:200]}, found {str(found.parsed)[:200]}")
    return told


def raw_text(case: Case) -> str:
    """The raw text of an extraction case."""
    if "raw" in case:
        return str(case["raw"])
    return "".join(piece if isinstance(piece, str) else piece[0] * piece[1] for piece in case["raw_recipe"])


def same_json(left: object, right: object) -> bool:
    """Whether two JSON values are the same, numbers as doubles; without recursion, however deep they are."""
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            todo += [(one[key], other[key]) for key in one]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        elif _number(one) and _number(other):
            if _double(one) != _double(other):
                return False
        elif type(one) is not type(other) or one != other:
            return False
    return True


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _type(value: object) -> str:
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else type(value).__name__


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [entry for entry in level if isinstance(entry, dict | list)]:
        depth += 1
        level = [inner for entry in level for inner in (entry.values() if isinstance(entry, dict) else entry)]
    return depth
