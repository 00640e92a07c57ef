"""What one case demands, and where the project's answer differs."""

import json
from collections.abc import Mapping
from typing import Any

from graph_evaluator.generate.answers import extract
from graph_evaluator.records.brief import Expectations
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.response import Answer, Cell, Response
from tests.score.drafts import score

Case = Mapping[str, Any]

TOLERANCE = 1e-9
RULES = ScoringRules()
CHECKS = ("exact", "exact-but-cycle", "rejected", "free")
NOT_COMPARED = ("CYCLE_DETECTED", "DUPLICATE_NODE_ID")
"""Codes that `exact-but-cycle` leaves out."""
SCORES = ("param_quality", "option_diff", "completeness", "overall_score")
EXACT = ("structural_valid", "node_count", "edge_count")


def disagreements(case) -> list[str]:
    """Where the project disagrees with a case, one sentence each; empty when it agrees.

    Raises:
        LookupError, TypeError, ValueError: it is no case, or lacks what its `check` needs.
    """
    if case["check"] not in CHECKS:
        raise ValueError(f"check must be one of {', '.join(CHECKS)}")
    return _about_score(case) if "graph" in case else _about_extraction(case)


def _about_score(case) -> list[str]:
    answer = Answer(status="success", graph=case["graph"])
    response = Response(cell=Cell("m", "b", 1), answer=answer)
    expectations = Expectations.model_validate(case.get("brief") or {})
    try:
        card = score(response, expectations, RULES)
    except Exception as error:  # noqa: BLE001 - a crash is a disagreement
        return [f"scoring raised {type(error).__name__}: {error}"]
    if case["check"] == "free":
        return []
    if case["check"] == "rejected":
        named = [finding.code for finding in card.violations if finding.path]
        is_rejected = not card.structural_valid and "INVALID_SCHEMA" in named
        return [] if is_rejected else [f"INVALID_SCHEMA with a path expected, found {named}"]
    return _differences(card, case["expected"], all_codes=case["check"] == "exact")


def _differences(card, expected, *, all_codes) -> list[str]:
    left_out = () if all_codes else NOT_COMPARED
    wanted, found = (
        [code for code in codes if code not in left_out]
        for codes in (expected["violation_codes"], card.violation_codes)
    )
    differing = ["violation_codes"] if found != wanted else []
    differing += [key for key in SCORES if not _near(getattr(card, key), expected[key])]
    exact = EXACT if all_codes else EXACT[1:]
    differing += [key for key in exact if getattr(card, key) != expected[key]]
    return [f"{key}: expected {expected[key]}, found {getattr(card, key)}" for key in differing]


def _near(found, expected):
    if found is None or not isinstance(expected, int | float):
        return found is expected
    return abs(found - expected) <= TOLERANCE


def _about_extraction(case) -> list[str]:
    recipe = [case["raw"]] if "raw" in case else case["raw_recipe"]
    raw = "".join(piece if isinstance(piece, str) else piece[0] * piece[1] for piece in recipe)
    try:
        parsed, method = extract(raw)
    except Exception as error:  # noqa: BLE001 - a crash is a disagreement
        return [f"extraction raised {type(error).__name__}: {error}"]
    if case["check"] == "free":
        return []
    expected = case["expected"]
    pairs: dict[str, tuple[object, object]] = {
        "method": (expected["method"], method),
        "extraction_attempted": (expected["extraction_attempted"], method != "direct"),
    }
    if "parsed_omitted" in expected:
        shape = {"depth": _depth(parsed), "type": _type_name(parsed)}
        pairs["parsed"] = (expected["parsed_omitted"], shape)
    else:
        pairs["parsed"] = (_with_doubles(expected["parsed"]), _with_doubles(parsed))
    return [
        f"{key}: expected {str(wanted)[:200]}, found {str(value)[:200]}"
        for key, (wanted, value) in pairs.items()
        if wanted != value
    ]


def _with_doubles(value) -> str:
    """A JSON value as text that is equal for equal values, whose numbers are doubles."""
    read = json.loads(json.dumps(value), parse_int=_double, parse_float=_double)
    return json.dumps(read, sort_keys=True)


def _double(digits) -> float:
    return float(digits) + 0.0  # no minus zero


def _type_name(value) -> str:
    """What a JSON value is, as vectors name it."""
    names = {"dict": "object", "list": "array"}
    return names.get(type(value).__name__, type(value).__name__)


def _depth(value) -> int:
    """How deep arrays and objects lie in each other in a value; 0 for a scalar."""
    if isinstance(value, dict):
        value = [*value.values()]
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0
