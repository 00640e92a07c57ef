"""What one case demands, and where the project's answer differs."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from stages.contracts.brief import Expectations
from stages.contracts.params import ScoringRules
from stages.contracts.response import Response
from stages.generate.answers.extraction import extract
from stages.score import score
from tests.vectors.json_values import depth, same_json, type_name

Case = Mapping[str, Any]

TOLERANCE = 1e-9
RULES = ScoringRules()
CHECKS = ("exact", "exact-but-cycle", "rejected", "free")
ASIDE = {"exact-but-cycle": ("CYCLE_DETECTED", "DUPLICATE_NODE_ID")}
EXACT = ("exact", "exact-but-cycle")
SCORES = ("param_quality", "option_diff", "completeness", "overall_score")
EXPECTED_OF_SCORES = ("structural_valid", "violation_codes", *SCORES, "node_count", "edge_count")
EXPECTED_OF_EXTRACTION = ("parsed", "method", "extraction_attempted")


class NotACase(ValueError):
    """A line does not hold a case; the message says what is wrong with it."""


def disagreements(case: object) -> list[str]:
    """Where the project disagrees with a case, one sentence each; empty when it agrees.

    Raises:
        NotACase: it is no case, or lacks what its `check` needs.
    """
    if not isinstance(case, dict):
        raise NotACase("a case is an object")
    check = case.get("check")
    if check not in CHECKS:
        raise NotACase(f"check must be one of {', '.join(CHECKS)}, found {check!r}")
    if "graph" in case:
        _demand(case, EXPECTED_OF_SCORES if check in EXACT else ())
        return _about_score(case)
    if "raw" in case or "raw_recipe" in case:
        _demand(case, EXPECTED_OF_EXTRACTION if check in EXACT else ())
        return _about_extraction(case)
    raise NotACase("a case has a graph, a raw text (raw) or a recipe of one (raw_recipe)")


def _demand(case: Case, keys: tuple[str, ...]) -> None:
    expected = case.get("expected")
    given = expected.keys() if isinstance(expected, dict) else set[str]()
    missing = [key for key in keys if key not in given and f"{key}_omitted" not in given]
    if missing:
        raise NotACase(f"expected has no {', '.join(missing)}")


def _about_score(case: Case) -> list[str]:
    response = Response(
        model_id="m", brief_id="b", sample=1, status="success", parsed_graph=case["graph"]
    )
    expectations = _expectations(case.get("brief") or {})
    try:
        card = score(response, expectations, RULES)
    except Exception as error:  # noqa: BLE001 - a crash is a disagreement
        return [f"scoring raised {type(error).__name__}: {error}"]
    check, expected = case["check"], case.get("expected") or {}
    if check == "free":
        return []
    if check == "rejected":
        named = any(
            finding.code == "INVALID_SCHEMA" and finding.path for finding in card.violations
        )
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
        found.append(
            f"structural_valid: expected {expected['structural_valid']}, found {card.structural_valid}"
        )
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
        found.append("a repeated id must be reported as DUPLICATE_NODE_ID")
    return found


def _expectations(brief: object) -> Expectations:
    try:
        return Expectations.model_validate(brief)
    except ValidationError as error:
        first = error.errors()[0]
        raise NotACase(f"brief: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _repeats_an_id(graph: Any) -> bool:
    nodes = graph.get("nodes") if isinstance(graph, dict) else None
    ids = [
        node["id"]
        for node in nodes or ()
        if isinstance(node, dict) and isinstance(node.get("id"), str)
    ]
    return len(set(ids)) < len(ids)


def _near(found: float | None, expected: object) -> bool:
    if found is None or not isinstance(expected, int | float):
        return found is expected
    return abs(found - expected) <= TOLERANCE


def _about_extraction(case: Case) -> list[str]:
    raw = raw_text(case)
    try:
        found = extract(raw)
    except Exception as error:  # noqa: BLE001 - a crash is a disagreement
        return [f"extraction raised {type(error).__name__}: {error}"]
    if case["check"] == "free":
        return []
    expected = case["expected"]
    reported: list[str] = []
    if found.method != expected["method"]:
        reported.append(f"method: expected {expected['method']}, found {found.method}")
    if found.attempted != expected["extraction_attempted"]:
        reported.append(
            f"extraction_attempted: expected {expected['extraction_attempted']}, found {found.attempted}"
        )
    if "parsed_omitted" in expected:
        shape = {"depth": depth(found.parsed), "type": type_name(found.parsed)}
        if shape != expected["parsed_omitted"]:
            reported.append(f"parsed: expected {expected['parsed_omitted']}, found {shape}")
    elif not same_json(found.parsed, expected["parsed"]):
        reported.append(
            f"parsed: expected {str(expected['parsed'])[:200]}, found {str(found.parsed)[:200]}"
        )
    return reported


def raw_text(case: Case) -> str:
    """The raw text of an extraction case.

    Raises:
        NotACase: it has neither a text nor a recipe for one.
    """
    try:
        recipe = [case["raw"]] if "raw" in case else case["raw_recipe"]
        return "".join(piece if isinstance(piece, str) else piece[0] * piece[1] for piece in recipe)
    except (TypeError, LookupError):
        raise NotACase(
            "raw must be text, and raw_recipe a list of texts and [text, times] pairs"
        ) from None
