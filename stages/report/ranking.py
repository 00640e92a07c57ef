"""The models and policies of a run by rank, and its briefs, with what their cells come to."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from stages.shared.analysis.policy_estimate import PolicyRuns, run_policy
from stages.shared.analysis.scored_cell import ScoredCell, group
from stages.shared.analysis.summary import Summary, briefs_with_content, summarise
from stages.shared.records.brief import Complexity
from stages.shared.records.model_config import ModelConfig, Policy, Pricing, TargetMode
from stages.shared.shell.text import visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model, or a policy with its estimated runs, and what its cells come to.

    * name: in all reports
    * mode: the target mode; None without a config
    * rank: by expected score, from 1; equal scores (to 1e-9) share one, None without a score
    * cells: those of the model, or those that the policy may call
    * cache_saved_usd: against the full price of all input tokens; None without a price, and for a
      policy
    """

    id: str
    name: str
    mode: TargetMode | None
    rank: int | None
    summary: Summary
    cells: tuple[ScoredCell, ...]
    cache_saved_usd: float | None = None
    policy: Policy | None = None
    runs: PolicyRuns | None = None

    @property
    def is_policy(self) -> bool:
        """Whether it is a policy."""
        return self.policy is not None

    @property
    def models(self) -> tuple[str, ...]:
        """The ids of the models that are called."""
        return self.policy.models if self.policy else (self.id,)


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefResult:
    """A brief with what its cells come to, and the mean expected score of each model that was
    asked, by id in order of rank; None where no answer came. `spread` is the standard deviation of
    these scores over the models that have a usable graph on any brief; None below two.

    `form_only`: it states no effects, so nothing is known of the content of its graphs.
    """

    brief_id: str
    complexity: Complexity
    form_only: bool
    summary: Summary
    cells: tuple[ScoredCell, ...]
    scores: Mapping[str, float | None]
    spread: float | None

    @property
    def best(self) -> str | None:
        """The id of the model with the highest score, of equals the first by rank; None without
        any.
        """
        known = {model: score for model, score in self.scores.items() if score is not None}
        return max(known, key=known.__getitem__, default=None)

    @property
    def worst(self) -> str | None:
        """The id of the model with the lowest score, of equals the last by rank; None without
        any.
        """
        known = {model: score for model, score in self.scores.items() if score is not None}
        return min(reversed(known), key=known.__getitem__, default=None)


def rank_candidates(
    cells: Sequence[ScoredCell],
    configs: Mapping[str, ModelConfig],
    policies: Sequence[Policy],
    *,
    prompt: str | None,
    confidence: float,
) -> tuple[Candidate, ...]:
    """The models and policies by rank; of equals the simplest first: a model before a policy, then
    the cheaper, then the faster, then by id.

    `configs` are those by id, as far as there are any; `prompt` is the path of the run's.
    """
    by_model = group(cells, lambda cell: cell.model_id)
    read = briefs_with_content(cells)
    runs = {policy.id: run_policy(policy, cells) for policy in policies}
    summaries = {
        model: summarise(of_model, confidence=confidence, with_effects=read)
        for model, of_model in by_model.items()
    }
    for policy_id, run in runs.items():
        summaries[policy_id] = summarise(
            run.cells, run.weights, confidence=confidence, with_effects=read
        )
    names = _names_of(by_model, configs, prompt)
    names |= _names_of_policies(policies, set(names.values()))
    ranks = _ranks(summaries)
    by_policy = {policy.id: policy for policy in policies}
    candidates = []
    for name, summary in summaries.items():
        policy, run_of, config = by_policy.get(name), runs.get(name), configs.get(name)
        cells_of = run_of.cells if run_of else by_model[name]
        owner = policy or config
        candidate = Candidate(
            id=name,
            name=names[name],
            mode=owner.target_mode if owner else None,
            rank=ranks[name],
            summary=summary,
            cells=tuple(cells_of),
            cache_saved_usd=_saved(cells_of, config.pricing if config else None),
            policy=policy,
            runs=run_of,
        )
        candidates.append(candidate)
    return tuple(sorted(candidates, key=_place))


def _place(candidate: Candidate) -> tuple[float, bool, float, float, str]:
    rank = candidate.rank or math.inf
    cost = candidate.summary.cost.per_usable
    cost = math.inf if cost is None else cost
    latency = candidate.summary.latency.p50_ms
    latency = math.inf if latency is None else latency
    return rank, candidate.is_policy, cost, latency, candidate.id


def _ranks(summaries: Mapping[str, Summary]) -> dict[str, int | None]:
    scores = {
        name: round(summary.expected.value, 9)
        for name, summary in summaries.items()
        if summary.expected.value is not None
    }
    ranks: dict[str, int | None] = dict.fromkeys(summaries)
    for name, score in scores.items():
        ranks[name] = 1 + sum(other > score for other in scores.values())
    return ranks


def _names_of(
    models: Mapping[str, Sequence[ScoredCell]],
    configs: Mapping[str, ModelConfig],
    prompt: str | None,
) -> dict[str, str]:
    """The config's `display_name`, with the id where two models share it; else the id. Recorded
    answers to another prompt say to which, and simulated models are marked where real ones took
    part.
    """
    names = {}
    for model in models:
        config = configs.get(model)
        names[model] = visible(config.display_name if config else model)
        if config and config.prompt not in (None, prompt):
            names[model] += f" (with {visible(config.prompt)})"
    names = _distinct(names, Counter(names.values()))
    simulated = {
        model for model, cells in models.items() if any(cell.measured.simulated for cell in cells)
    }
    if any(not cell.measured.simulated for cells in models.values() for cell in cells):
        for model in simulated:
            if "simulated" not in names[model].casefold():
                names[model] += " (simulated)"
    return names


def _names_of_policies(policies: Sequence[Policy], taken: Iterable[str]) -> dict[str, str]:
    """The names of policies, marked as such; with the id where two are equal."""
    names = {policy.id: f"{visible(policy.display_name)} (policy)" for policy in policies}
    return _distinct(names, Counter([*names.values(), *taken]))


def _distinct(names: Mapping[str, str], times: Mapping[str, int]) -> dict[str, str]:
    return {
        key: name if times[name] == 1 else f"{name} ({visible(key)})" for key, name in names.items()
    }


def _saved(cells: Iterable[ScoredCell], pricing: Pricing | None) -> float | None:
    """A cached token saves full price minus cached price; a token written to the cache costs
    write price minus full price.
    """
    if pricing is None:
        return None
    full, cached, written = (
        pricing.input_per_1m,
        pricing.cached_input_per_1m,
        pricing.cache_write_per_1m,
    )
    read_gain = 0.0 if cached is None else full - cached
    write_loss = 0.0 if written is None else written - full
    usages = [cell.measured.usage for cell in cells]
    saved = [
        usage.cached_tokens * read_gain - (usage.cache_write_tokens or 0) * write_loss
        for usage in usages
        if usage.cached_tokens is not None
    ]
    return math.fsum(saved) / 1e6 if saved else None


def rank_briefs(
    cells: Sequence[ScoredCell], models: Sequence[Candidate], stated: Collection[str]
) -> tuple[BriefResult, ...]:
    """The briefs by id; `models` are in order of rank, `stated` the briefs that state effects."""
    has_effects = briefs_with_content(cells).union(stated)
    results = []
    for brief, of_brief in group(cells, lambda cell: cell.brief_id).items():
        scores = _scores(of_brief, models)
        of_usable = [scores.get(model.id) for model in models if model.summary.usable]
        known = [score for score in of_usable if score is not None]
        result = BriefResult(
            brief_id=brief,
            complexity=of_brief[0].complexity,
            form_only=brief not in has_effects,
            summary=summarise(of_brief),
            cells=tuple(of_brief),
            scores=scores,
            spread=stdev(known) if len(known) > 1 else None,
        )
        results.append(result)
    return tuple(results)


def _scores(cells: Sequence[ScoredCell], models: Sequence[Candidate]) -> dict[str, float | None]:
    by_model = group(cells, lambda cell: cell.model_id)
    scores: dict[str, float | None] = {}
    for model in models:
        if model.id in by_model:
            scored = [cell.expected_score for cell in by_model[model.id]]
            known = [score for score in scored if score is not None]
            scores[model.id] = fmean(known) if known else None
    return scores
