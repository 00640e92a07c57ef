"""The decision for each mode: what `results/decision.json`, the summary and the site show."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from stages.report.advice import WITHOUT_MODE, reason_of
from stages.report.limits import check_limits
from stages.report.ranking import Candidate
from stages.report.selection import Selection, select
from stages.shared.analysis.summary import Summary
from stages.shared.records.decision import (
    Decision,
    Evidence,
    LimitCheck,
    ModeDecision,
    Rival,
)
from stages.shared.records.model_config import ModelConfig
from stages.shared.records.params import CompareParams, ModeLimits, ReportParams
from stages.shared.records.response import Run

MODES = ("fast", "normal", "deep")


def decide(
    candidates: Sequence[Candidate],
    run: Run,
    configs: Mapping[str, ModelConfig],
    params: ReportParams,
    compare: CompareParams,
    answered_models: Mapping[str, Iterable[str]],
) -> Decision:
    """The decision for every mode that has candidates or limits.

    `candidates` are in order of rank; `run` has the hashes of the configs and of the prompt;
    `answered_models` are the snapshots that the endpoint named, by model.
    """
    by_id = {candidate.id: candidate for candidate in candidates}
    deciding = _Deciding(by_id, run, configs, compare, answered_models)
    limits_of = {str(mode): limits for mode, limits in params.modes.items()}
    decisions = {}
    for mode in (*MODES, WITHOUT_MODE):
        limits = limits_of.get(mode, ModeLimits())
        chosen = deciding.candidates_for(mode, limits)
        if chosen:
            decisions[mode] = deciding.decide_mode(chosen, limits)
    policies = sorted((one.id, one.policy.written_out) for one in candidates if one.policy)
    return Decision(
        run_id=run.run_id,
        confidence=compare.confidence,
        min_difference=compare.min_difference,
        min_content_difference=compare.min_content_difference,
        modes=decisions,
        policies=dict(policies),
    )


@dataclass(frozen=True, slots=True)
class _Deciding:
    """What all modes are decided from."""

    candidates: Mapping[str, Candidate]
    run: Run
    configs: Mapping[str, ModelConfig]
    compare: CompareParams
    answered_models: Mapping[str, Iterable[str]]

    def candidates_for(self, mode: str, limits: ModeLimits) -> list[Candidate]:
        """The models and policies that may be named: with limits all, else those with this target
        mode.
        """
        ranked = list(self.candidates.values())
        if limits == ModeLimits():
            ranked = [one for one in ranked if (one.mode or WITHOUT_MODE) == mode]
        return ranked

    def decide_mode(self, candidates: Sequence[Candidate], limits: ModeLimits) -> ModeDecision:
        """Check the limits, name a candidate among those that miss none, and collect what was
        measured of it.
        """
        checks: list[LimitCheck] = []
        for candidate in candidates:
            checks += check_limits(candidate, limits, self.compare.confidence)
        failed = [check for check in checks if check.verdict in ("missed", "not measured")]
        excluded = sorted({check.model for check in failed})
        kept = [candidate for candidate in candidates if candidate.id not in excluded]
        selection = select(kept, self.compare)
        named = self.candidates.get(selection.model_id or "")
        policy = named.policy if named else None
        called = list(named.usd_per_brief) if named else []
        snapshots = [name for model in called for name in self.answered_models.get(model, ())]
        return ModeDecision(
            verdict=selection.verdict,
            model=None if policy else selection.model_id,
            policy=policy.written_out if policy else None,
            reason=reason_of(selection, self.candidates, failed, self.compare),
            config_sha256=self.run.models.get(selection.model_id or ""),
            prompt=self.run.prompt,
            answered_models=tuple(sorted(set(snapshots))),
            shutdown_date=self._shutdown_date(called),
            simulated=bool(named and named.summary.simulated),
            evidence=_evidence(named.summary) if named else None,
            rivals=_rivals(selection),
            compared=selection.compared,
            checks=tuple(checks),
            excluded=tuple(excluded),
            without_usable=tuple(one.id for one in candidates if not one.summary.usable),
            cheapest=selection.cheapest,
            fastest=selection.fastest,
            next_step=selection.next_step,
        )

    def _shutdown_date(self, models: Sequence[str]) -> str | None:
        """The first day on which one of the models is switched off."""
        configs = [self.configs[model] for model in models if model in self.configs]
        days = [config.deprecated_on for config in configs if config.deprecated_on]
        return min(days).isoformat() if days else None


def _rivals(selection: Selection) -> tuple[Rival, ...]:
    contents = {lead.rival: lead.difference for lead in selection.content_leads}
    return tuple(
        Rival(model=lead.rival, difference=lead.difference, content=contents.get(lead.rival))
        for lead in selection.leads
    )


def _evidence(summary: Summary) -> Evidence:
    return Evidence(
        score=summary.expected,
        quality=summary.quality,
        usable_rate=summary.usable_rate,
        content=summary.content,
        coded=summary.coded.value,
        usd_per_usable_graph=summary.cost.per_usable,
        latency_p50_s=_seconds(summary.latency.p50_ms),
        latency_p95_s=_seconds(summary.latency.p95_ms),
        cells=int(summary.cells),
        answers=int(summary.answered),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
