"""Free text against structured output: configs that differ in nothing but `response_format`, side by side."""

from collections.abc import Mapping, Sequence

import msgspec

from stages.contracts.json_text import canonical
from stages.contracts.model_config import ModelConfig, ResponseFormat
from stages.report.estimate import Estimate, estimate
from stages.report.leaderboard import Leaderboard, Standing
from stages.report.ranking import ranking_score

FREEDOM: tuple[ResponseFormat, ...] = ("text", "json_object", "json_schema")
"""From the freest format to the strictest."""
NAMES: dict[ResponseFormat, str] = {
    "text": "free text",
    "json_object": "any JSON object",
    "json_schema": "the draft graph's schema",
}
"""What was asked for, in words."""


class FormatPair(msgspec.Struct, frozen=True, kw_only=True):
    """The same model with a freer and a stricter format of its answers.

    `difference` is stricter minus freer in the score that ranks, paired over the briefs that both have a score for.
    """

    freer: Standing
    freer_format: ResponseFormat
    stricter: Standing
    stricter_format: ResponseFormat
    difference: Estimate


def format_pairs(board: Leaderboard, configs: Mapping[str, ModelConfig]) -> tuple[FormatPair, ...]:
    """The pairs among the models of the leaderboard, in the order of its ranks: each stricter one against the freest."""
    groups: dict[bytes, list[Standing]] = {}
    for standing in board.standings:
        if standing.model_id in configs:
            groups.setdefault(_all_but_format(configs[standing.model_id]), []).append(standing)
    pairs: list[FormatPair] = []
    for group in groups.values():
        ordered = sorted(group, key=lambda one: FREEDOM.index(_format(configs[one.model_id])))
        freest = _format(configs[ordered[0].model_id])
        strict = [one for one in ordered if _format(configs[one.model_id]) != freest]
        pairs += [_pair(ordered[0], one, configs, board) for one in strict]
    return tuple(pairs)


def _pair(freer: Standing, stricter: Standing, configs: Mapping[str, ModelConfig], board: Leaderboard) -> FormatPair:
    before = {mean.brief_id: ranking_score(mean, board.rank_by) for mean in freer.briefs}
    differences: Sequence[float] = [
        after - free
        for mean in stricter.briefs
        if (after := ranking_score(mean, board.rank_by)) is not None and (free := before.get(mean.brief_id)) is not None
    ]
    return FormatPair(
        freer=freer,
        freer_format=_format(configs[freer.model_id]),
        stricter=stricter,
        stricter_format=_format(configs[stricter.model_id]),
        difference=estimate(differences, board.confidence, bounds=(-1.0, 1.0)),
    )


def _format(config: ModelConfig) -> ResponseFormat:
    return config.params.response_format or "text"


def _all_but_format(config: ModelConfig) -> bytes:
    called = config.model_dump(mode="json", include={"provider", "model", "api", "base_url", "params"})
    called["params"].pop("response_format")
    return canonical(called)
