"""The decision for each mode, made from the frame of cells: what `results/decision.json`, the
summary and the site show.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from stages.report.advice import WITHOUT_MODE, reason_of
from stages.report.limits import MeasuredCandidate, measured_of_model, measured_of_policy
from stages.report.policies import PolicyResult
from stages.report.rows import ModelRow, models_by_id
from stages.report.selection import Candidate, Lead, select
from stages.shared.analysis.estimates import ScoreEstimate
from stages.shared.records.decision import (
    Decision,
    Evidence,
    LimitCheck,
    ModeDecision,
    Rival,
)
from stages.shared.records.measurement import Measurement
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.params import CompareParams, ModeLimits, ReportParams
from stages.shared.records.run import Run

MODES = ("fast", "normal", "deep")


def decide(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    run: Run,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    compare: CompareParams,
    policies: Sequence[PolicyResult] = (),
) -> Decision:
    """The decision for every mode that has candidates or limits.

    `models` is a frame as of `ranking.rank_models`, with the rows of the policies; `run` has the
    hashes of the configs and of the prompt.
    """
    results = {result.policy.id: result for result in policies}
    deciding = _Deciding(cells, models_by_id(models), run, configs, compare, results)
    limits_of = {str(mode): limits for mode, limits in params.modes.items()}
    decisions = {}
    for mode in (*MODES, WITHOUT_MODE):
        limits = limits_of.get(mode, ModeLimits())
        model_ids = deciding.candidates_for(mode, limits)
        if model_ids:
            decisions[mode] = deciding.decide_mode(model_ids, limits)
    return Decision(
        run_id=run.run_id,
        confidence=compare.confidence,
        min_difference=compare.min_difference,
        modes=decisions,
        policies={name: result.policy.written_out for name, result in sorted(results.items())},
    )


@dataclass(frozen=True, slots=True)
class _Deciding:
    """What all modes are decided from."""

    cells: pd.DataFrame
    models: Mapping[str, ModelRow]
    run: Run
    configs: Mapping[str, ModelConfig]
    compare: CompareParams
    policies: Mapping[str, PolicyResult]

    def candidates_for(self, mode: str, limits: ModeLimits) -> list[str]:
        """The ids of the models and policies that may be named: with limits all, else those with
        this target mode.
        """
        ranked = list(self.models.values())
        if limits == ModeLimits():
            ranked = [model for model in ranked if (model.target_mode or WITHOUT_MODE) == mode]
        return [model.model_id for model in ranked]

    def decide_mode(self, model_ids: Sequence[str], limits: ModeLimits) -> ModeDecision:
        """Check the limits, name a candidate among those that miss none, and collect what was
        measured of it.
        """
        checks: list[LimitCheck] = []
        for model_id in model_ids:
            checks += self._measured(model_id).checks(limits)
        failed = [check for check in checks if check.verdict in ("missed", "not measured")]
        excluded = sorted({check.model for check in failed})
        candidates = [
            self._candidate(self.models[name]) for name in model_ids if name not in excluded
        ]
        selection = select(candidates, self.compare.confidence, self.compare.min_difference)
        named = self.models.get(selection.model_id or "")
        policy = self.policies.get(selection.model_id or "")
        estimate = named.estimate if named else ScoreEstimate()
        return ModeDecision(
            verdict=selection.verdict,
            model=None if selection.model_id in self.policies else selection.model_id,
            policy=policy.policy.written_out if policy else None,
            reason=reason_of(selection, self.models, estimate, failed, self.compare),
            config_sha256=self.run.models.get(selection.model_id or ""),
            prompt=self.run.prompt,
            answered_models=self._answered_models(self._called_models(selection.model_id)),
            shutdown_date=self._shutdown_date(self._called_models(selection.model_id)),
            simulated=bool(named and named.simulated),
            evidence=_evidence(named) if named else None,
            rivals=tuple(map(_rival, selection.leads)),
            compared=selection.compared,
            checks=tuple(checks),
            excluded=tuple(excluded),
            without_usable=tuple(name for name in model_ids if not self.models[name].usable),
            cheapest=selection.cheapest,
            fastest=selection.fastest,
            next_step=selection.next_step,
        )

    def _candidate(self, model: ModelRow) -> Candidate:
        called = self._called_models(model.model_id)
        return Candidate(
            model_id=model.model_id,
            side=model.side,
            asked_briefs=model.asked_briefs,
            is_policy=model.model_id in self.policies,
            usd_per_usable=_number(model.cost_per_usable_usd),
            latency_s=_number(model.latency_p50_ms / 1000),
            usd_per_brief={name: _usd_per_brief(self.models[name]) for name in called},
        )

    def _measured(self, name: str) -> MeasuredCandidate:
        result = self.policies.get(name)
        if result is not None:
            return measured_of_policy(result, self.compare.confidence)
        cells = self.cells[self.cells["model_id"] == name]
        return measured_of_model(name, cells, self.compare.confidence)

    def _called_models(self, name: str | None) -> tuple[str, ...]:
        """The ids of the models that a candidate calls."""
        if name is None:
            return ()
        result = self.policies.get(name)
        return (name,) if result is None else result.policy.models

    def _answered_models(self, model_ids: Sequence[str]) -> tuple[str, ...]:
        called = self.cells["model_id"].isin(model_ids)
        snapshots = self.cells.loc[called, "answered_model"].dropna()
        return tuple(sorted({snapshot for snapshot in snapshots if snapshot}))

    def _shutdown_date(self, model_ids: Sequence[str]) -> str | None:
        """The first day on which one of the models is switched off."""
        configs = [self.configs[model_id] for model_id in model_ids if model_id in self.configs]
        days = [config.deprecated_on for config in configs if config.deprecated_on]
        return min(days).isoformat() if days else None


def _rival(lead: Lead) -> Rival:
    return Rival(model=lead.rival, difference=lead.difference)


def _measurement(estimate: Measurement) -> Measurement:
    """The estimate without what else its record says."""
    return Measurement(value=estimate.value, low=estimate.low, high=estimate.high, n=estimate.n)


def _usd_per_brief(model: ModelRow) -> float | None:
    """What the answers of a model to a brief cost, all samples together."""
    cost = _number(model.cost_usd)
    return None if cost is None or model.cost_unknown else cost / model.asked_briefs


def _evidence(model: ModelRow) -> Evidence:
    estimate = model.estimate
    return Evidence(
        score=_measurement(estimate),
        quality=_measurement(estimate.quality),
        usable_rate=_measurement(estimate.usable),
        usd_per_usable_graph=_number(model.cost_per_usable_usd),
        latency_p50_s=_number(model.latency_p50_ms / 1000),
        latency_p95_s=_number(model.latency_p95_ms / 1000),
        cells=int(model.cells),
        answers=int(model.answered),
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
