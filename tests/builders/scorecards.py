"""Small literal records that the report's tests are made of."""

import json
from typing import Any

from graph_evaluator.records.model_config import (
    IDENTIFIER,
    ModelConfig,
    parse_config,
)
from graph_evaluator.records.params import CompareParams, ReportParams
from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.records.run_results import PromptRef, Run
from graph_evaluator.records.scorecard import (
    CheckResult,
    Finding,
    Scorecard,
    ScoredCell,
    SubScore,
)
from graph_evaluator.report.findings import Findings, ReadCell, build_findings
from graph_evaluator.report.ranking import Candidate, rank_candidates
from tests.builders.responses import response

RULES = "f" * 64


def card(model="a", brief="b1", score=0.5, sample=1, **fields) -> Scorecard:
    """The scorecard of a valid graph whose every score is `score`, unless fields say otherwise."""
    given: dict[str, Any] = {
        "status": "success", "structural_valid": True, "violation_codes": (), "param_quality": score, "option_diff": score,
        "completeness": score, "overall_score": score, "expected_score": score, "node_count": 8, "edge_count": 9,
        "complexity": "simple", "scoring_version": "1", "scoring_rules": RULES, "latency_ms": 1000.0, "input_tokens": 2000,
        "cached_tokens": 500, "output_tokens": 900, "reasoning_tokens": 0, "est_cost_usd": 0.01,
        "pricing_source": "published", "attempts": 1, "draws": 1, "extraction_method": "direct", "states_effects": True,
    }  # fmt: skip
    given["usable"] = fields.get("structural_valid", True)
    if score is not None and fields.get("states_effects", True):
        given["content"] = 0.6
    given["checks"] = {check.name: check.outcome for check in fields.get("fidelity", ())}
    given["warning_codes"] = tuple(warning.code for warning in fields.get("warnings", ()))
    given["sub_score_values"] = {
        f"{dimension}.{sub.name}": sub.value
        for dimension, subs in fields.get("sub_scores", {}).items()
        for sub in subs
    }
    return Scorecard(model_id=model, brief_id=brief, sample=sample, **(given | fields))


def option(label, gain=0.0, certainty=0.5, **fields) -> OptionGain:
    """An option of a graph; with "Status quo" in its label it is the status quo."""
    given = {"status_quo": "Status quo" in label} | fields
    return OptionGain(label=label, gain=gain, certainty=certainty, **given)


def recommending(*options) -> Recommendation:
    """The recommendation of options, the best one first: a label gains 0.1 less than the one before."""
    gains = [
        option(one, round(0.4 - 0.1 * place, 9)) if isinstance(one, str) else one
        for place, one in enumerate(options)
    ]
    return Recommendation(options=tuple(gains))


def invalid(model="a", brief="b1", *codes, **fields) -> Scorecard:
    """The scorecard of an answer whose graph breaks rules."""
    found = tuple(Finding(code=code, message=f"{code} was found.") for code in codes)
    given = {
        "structural_valid": False,
        "violation_codes": codes,
        "violations": found,
        "expected_score": 0.0,
    }
    return card(model, brief, None, **(given | fields))


def unfaithful(model, brief, *checks, **fields) -> Scorecard:
    """The scorecard of a valid graph that failed fidelity checks, so that it is not usable."""
    results = tuple(
        CheckResult(name=name, outcome="fail", message=f"{name} failed.") for name in checks
    )
    given = {"usable": False, "fidelity": results, "expected_score": 0.0}
    return card(model, brief, **(given | fields))


def unusable(status, model="a", brief="b1", **fields) -> Scorecard:
    """The scorecard of an answer without JSON: parse_failed, truncated or refused."""
    return invalid(model, brief, "NO_GRAPH", **({"status": status, "node_count": None} | fields))


NOT_MEASURED = (
    "latency_ms", "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "est_cost_usd", "edge_count",
    "expected_score",
)  # fmt: skip


def unanswered(status="server_error", model="a", brief="b1", **fields) -> Scorecard:
    """The scorecard of a cell that nothing came back for."""
    given = dict.fromkeys(NOT_MEASURED) | {"draws": 0, "attempts": 8}
    return unusable(status, model, brief, **(given | fields))


def sub_score(name, value, **fields) -> SubScore:
    """A sub-score of weight 0.25."""
    return SubScore(name=name, value=value, weight=0.25, message=f"{name} is {value}.", **fields)


def config(model, mode="normal", **fields) -> ModelConfig:
    """A model config with a price."""
    given = {
        "id": model, "display_name": model.upper(), "provider": "openai", "model": model, "target_mode": mode,
        "pricing": {"input_per_1m": 2.0, "output_per_1m": 8.0, "cached_input_per_1m": 0.5, "source": "published"},
    }  # fmt: skip
    return parse_config(model, json.dumps(given | fields), file="model.json")


def manifest(*models, briefs=1, samples=1) -> Run:
    """A run over these models."""
    return Run(
        run_id="draft-0123456789ab", git_sha=None, tool_version="0.1.0", samples=samples, round=1,
        prompt=PromptRef(path="prompts/draft.txt", sha256="0" * 64), models=dict.fromkeys(models, "1" * 64),
        briefs={f"b{number}": "2" * 64 for number in range(1, briefs + 1)},
    )  # fmt: skip


def stored(*cards, graph) -> ReadCell:
    """Finds these scorecards, with responses that all hold one graph; None: there are no responses."""
    by_cell = {one.cell: one for one in cards}
    return lambda cell: (
        by_cell[cell],
        response(cell, parsed_graph=graph) if graph is not None else None,
    )


def cells(*cards) -> list[ScoredCell]:
    """The scored cells of these scorecards, as their lines are read."""
    return [ScoredCell.model_validate(one.to_json()) for one in cards]


def candidate(*cards) -> Candidate:
    """The one model of these scorecards."""
    (one,) = rank_candidates(cells(*cards), {}, prompt=None, confidence=0.95)
    return one


def findings(*cards, configs=None, run=None, checks=None, **params) -> Findings:
    """The findings over these scorecards: models in mode normal unless configs say otherwise, of briefs that state effects."""
    models = dict.fromkeys(one.model_id for one in cards)
    if configs is None:
        configs = [config(model) for model in models if IDENTIFIER.fullmatch(model)]
    return build_findings(
        run or manifest(*models, samples=max((one.sample for one in cards), default=1)),
        cells(*cards),
        {one.id: one for one in configs},
        ReportParams.model_validate(params),
        CompareParams(),
        cards=checks,
    )


def distinct(sample=1, **fields) -> Scorecard:
    """The scorecard of a usable graph with another value in every field."""
    given = {
        "sample": sample, "param_quality": 0.61, "option_diff": 0.62, "completeness": 0.63, "overall_score": 0.64,
        "expected_score": 0.65, "node_count": 11, "edge_count": 12, "warning_codes": ("ORPHAN", "UNUSED", "UNUSED"),
        "violation_codes": ("NO_GOAL", "NO_GOAL"), "sub_score_values": {"completeness.goal_threshold": 0.66},
        "checks": {"direction": "warn", "target": "pass", "effects": "fail"}, "content": 0.68,
        "effect_counts": {"right": 6, "wrong": 7, "missing": 8}, "drawn_effects": 20, "invented_effects": 5,
        "recommendation": Recommendation(options=(
            OptionGain(label="Rent", gain=0.5, certainty=0.69),
            OptionGain(label="Buy", gain=0.25, certainty=0.31),
        )),
        "right_choice": True, "complexity": "moderate", "scoring_version": "77", "asked_model": "gpt-x", "fingerprint": "f1",
        "failure_code": "f2", "extraction_method": "bracketed", "draws": 2, "answered_model": "gpt-y", "latency_ms": 1250.0,
        "attempts": 5, "input_tokens": 2100, "cached_tokens": 525, "cache_write_tokens": 70, "output_tokens": 900,
        "reasoning_tokens": 40, "est_cost_usd": 0.0125, "pricing_source": "list",
    }  # fmt: skip
    return card("m", "b7", **(given | fields))


def one_of_each() -> list[Scorecard]:
    """A model's cells such that every count of them and every mean is another number."""
    exact = {"exact_names": True}
    unchecked = {"checks": {"grounding": "not_applicable"}}
    return [
        *(distinct(sample, **exact) for sample in (1, 2, 3)),
        distinct(4, content=None, right_choice=False, **exact),
        card("m", "b6", 0.5, states_effects=False, **unchecked),
        unfaithful("m", "b5", "target", **exact),
        *(invalid("m", "b8", "X", sample=sample, latency_ms=9250.0, **exact) for sample in (1, 2)),
        *(unanswered(model="m", brief="b9", sample=sample) for sample in (1, 2, 3)),
    ]
