"""The ranked part of `results/summary.md`: the advice, the leaderboard, and what stands beside each mean."""

from stages.report import number_formats as show
from stages.report.digest import Digest, what_ranks
from stages.report.leaderboard import Leaderboard, Standing
from stages.report.markdown_text import details, table, text
from stages.report.recommendation import Recommendation, score_name

NO_MODE = "no mode"


def advice(digest: Digest) -> str:
    """Which model to take for each mode, with the reason."""
    rows = [
        [one.mode or NO_MODE, text(one.model_id) if one.model_id else show.MISSING, text(one.reason, 600)]
        for one in digest.recommendations
    ]
    return "## Which model to take\n\n" + table(["Mode", "Take", "Why"], rows, "lll")


def ranked(digest: Digest) -> str:
    """The leaderboard, and collapsed: dimensions, spread, tokens."""
    board = digest.leaderboard
    level = show.share(board.confidence)
    parts = [
        "## Leaderboard",
        f"{what_ranks(board)} The interval is {level} over briefs. {_other_mean(board)}",
        _standings(board, board.standings),
        "### What became of the cells",
        _cells(board),
        details("Dimensions and spread", _dimensions(board)),
        details("Tokens and the prompt cache", _tokens(board)),
    ]
    return "\n\n".join(parts)


def modes(digest: Digest) -> str:
    """Each mode on its own: the advice, its models, and the leader against each of the others."""
    return "\n\n".join(["## By target mode", *(_mode(one, digest.leaderboard) for one in digest.recommendations)])


def name_of(one: Standing) -> str:
    """The model as tables name it: simulated ones say so."""
    return text(one.model_id) + (" (simulated)" if one.simulated else "")


def _other_mean(board: Leaderboard) -> str:
    if board.rank_by == "expected_score":
        return "*Overall* is the mean over valid graphs only."
    return "*Expected* counts an answer without a valid graph as 0."


def _standings(board: Leaderboard, standings: tuple[Standing, ...]) -> str:
    header = ["#", "Model", "Mode", "Briefs", "Valid", score_name(board.rank_by).capitalize(), "Interval"]
    header += ["Overall" if board.rank_by == "expected_score" else "Expected", "Cost", "Per valid graph", "p50", "p95"]
    rows = []
    for one in standings:
        mean = one.ranking(board.rank_by)
        other = one.overall_mean if board.rank_by == "expected_score" else one.expected.mean
        rows.append([
            show.count(one.rank), name_of(one), one.target_mode or show.MISSING, show.count(mean.n),
            show.share_of(one.counts.scored, one.counts.cells), show.score(mean.mean), show.span(mean.low, mean.high),
            show.score(other), _cost(one), show.money(one.usage.cost_per_valid_usd),
            show.duration(one.usage.latency_ms_p50), show.duration(one.usage.latency_ms_p95),
        ])  # fmt: skip
    return table(header, rows, "rllrrrlrrrrr")


def _cost(one: Standing) -> str:
    known = show.money(one.usage.cost_usd)
    return known if not one.usage.cost_unknown else f"{known} + {show.count(one.usage.cost_unknown)} unknown"


def _cells(board: Leaderboard) -> str:
    header = ["Model", "Cells", "Valid", "Invalid", "Parse failed", "Truncated", "Refused", "No answer"]
    rows = [
        [name_of(one), *(show.count(number) for number in (
            one.counts.cells, one.counts.scored, one.counts.invalid, one.counts.of("parse_failed"),
            one.counts.of("truncated"), one.counts.of("refused"), one.counts.unanswered,
        ))]
        for one in board.standings
    ]  # fmt: skip
    return table(header, rows, "lrrrrrrr")


def _dimensions(board: Leaderboard) -> str:
    header = ["Model", "n", "Parameter quality", "Option differentiation", "Completeness", "Default edges"]
    header += ["Spread of samples", "Spread of briefs"]
    rows = [
        [
            name_of(one), show.count(one.counts.scored), *(show.score(value) for value in one.dimensions.values()),
            show.share(one.default_share), show.score(one.spread.samples), show.score(one.spread.briefs),
        ]
        for one in board.standings
    ]  # fmt: skip
    note = (
        "Means over the n valid graphs. Spreads are standard deviations of the score that ranks: between the samples of one "
        "brief (needs two or more), and between briefs with the samples' share taken out."
    )
    return f"{table(header, rows, 'lrrrrrrr')}\n\n{note}"


def _tokens(board: Leaderboard) -> str:
    header = ["Model", "Calls", "Input", "From cache", "Saved by the cache", "Output", "Reasoning", "Output per answer"]
    rows = [
        [
            name_of(one), show.count(one.usage.calls), show.tokens(one.usage.input_tokens), show.share(one.usage.cached_share),
            show.money(one.usage.cache_saved_usd), show.tokens(one.usage.output_tokens),
            show.tokens(one.usage.reasoning_tokens), show.tokens(one.usage.output_tokens_mean),
        ]
        for one in board.standings
    ]  # fmt: skip
    return table(header, rows, "lrrrrrrr")


def _mode(one: Recommendation, board: Leaderboard) -> str:
    of_mode = tuple(standing for standing in board.standings if standing.target_mode == one.mode)
    parts = [f"### {(one.mode or NO_MODE).capitalize()}", text(one.reason, 600), _standings(board, of_mode)]
    if one.rivals:
        rows = [
            [
                text(rival.model_id), show.count(rival.n), show.difference(rival.difference),
                show.span(rival.low, rival.high), "yes" if rival.behind else "cannot tell",
            ]
            for rival in one.rivals
        ]  # fmt: skip
        parts.append(f"The lead of {text(one.leader or '')}, paired by brief:")
        parts.append(table(["Over", "Briefs", "Lead", "Interval", "Real"], rows, "lrrll"))
    return "\n\n".join(parts)
