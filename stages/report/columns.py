"""The columns of the reports' tables, and the lists of columns that several of them have.

A new column is one `Field` here, in each list of columns where it is to be shown.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from stages.report.failures import Occurrence, code_name, meaning_of
from stages.report.ranking import BriefResult, Candidate
from stages.report.tables import Field
from stages.shared.analysis.joint_test import CODED_TO_DECIDE
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.analysis.summary import Cost, Summary
from stages.shared.present.page import brief_page, cell_page, cells_link, model_page
from stages.shared.present.table import Entry, Raw
from stages.shared.records.response import ANSWERED, STATUSES
from stages.shared.records.scorecard import Dimension
from stages.shared.shell import numbers as show

OUTCOMES: Mapping[str, str] = {
    "usable": "usable,unchecked",
    "no_graph": ",".join(status for status in STATUSES if status in ANSWERED - {"success"}),
    "no_answer": ",".join(status for status in STATUSES if status not in ANSWERED),
    "not_usable": ",".join(["invalid", "unfaithful", *STATUSES[1:]]),
}
"""Groups of outcomes of cells, as a filter; see `ScoredCell.outcome`."""
_UNCHECKED = "Usable graphs that nothing could compare with their brief"

OfModel = Field[Candidate]
OfBrief = Field[BriefResult]
OfCell = Field[ScoredCell]
OfCode = Field[Occurrence]


def cost_text(cost: Cost) -> str:
    """A sum of costs, with the number of answers whose cost is unknown."""
    if cost.usd is None and cost.unknown:
        return f"not measured ({show.counted(cost.unknown, 'answer')})"
    known = show.money(cost.usd)
    return f"{known} + {show.count(cost.unknown)} unknown" if cost.unknown else known


def counts_text(total: Summary) -> str:
    """How many cells there are, how many of them have an answer, and how many a usable graph."""
    return (
        f"{show.counted(total.cells, 'cell')}, {show.count(total.answered)} answered, "
        f"{show.count(total.usable)} usable"
    )


def _cost(model: Candidate) -> Entry:
    """What was spent; for a policy, for which nothing was, an estimate that is in no sum."""
    cost = model.summary.cost
    if model.is_policy:
        return Entry(_estimated(show.money(cost.usd)))
    return Entry(cost_text(cost), cost.usd)


def _cost_per_usable(model: Candidate) -> Entry:
    usd = model.summary.cost.per_usable
    shown = show.money(usd)
    return Entry(_estimated(shown) if model.is_policy else shown, usd)


def _estimated(shown: str) -> str:
    return shown if shown == show.MISSING else f"{shown} (estimate)"


def outcome_text(cell: ScoredCell) -> str:
    """The outcome of a cell in words."""
    return cell.outcome.replace("_", " ")


def outcome_look(cell: ScoredCell) -> str:
    """The colour of a cell's outcome."""
    if cell.usable:
        return "good"
    return "bad" if cell.answered else "warn"


def codes_text(codes: Sequence[str]) -> str:
    """The names of codes, each once, with how often it occurs.

    >>> codes_text(("ORPHAN_NODE", "FORBIDDEN_EDGE", "ORPHAN_NODE"))
    'Orphan node ×2, Forbidden edge'
    """
    counts = {code_name(code): codes.count(code) for code in codes}
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in counts.items())


def _usable(usable: float, cells: float) -> Entry:
    return Entry(show.share_of(usable, cells), usable / cells if cells else None)


def count_of_cells(
    title: str, count_of: Callable[[Candidate], float], status: str, hint: str = ""
) -> OfModel:
    """A column of numbers of a model's cells of these outcomes, which lead to the list of them; a
    policy, whose runs are estimated, has no cells to list.
    """
    return OfModel(title, count_of, show.count, hint, page=partial(_cells_of_model, status))


def _cells_of_model(status: str, model: Candidate) -> str:
    return "" if model.is_policy else cells_link(model=model.id, status=status)


def is_by_words(model: Candidate) -> bool:
    """Whether too few labels are coded for its content to be by codes."""
    coded = model.summary.coded.value
    return coded is not None and coded < CODED_TO_DECIDE


def content_of(model: Candidate) -> Entry:
    """The mean content, marked where it is by words."""
    value = model.summary.content.value
    shown = show.score(value)
    return Entry(f"{shown} (by words)" if value and is_by_words(model) else shown, value)


def content_of_cell(cell: ScoredCell) -> float | None:
    """What the content of a graph counts: 0 if it is not usable; None where it has none."""
    return cell.content if cell.usable or cell.content is None else 0.0


def _dimension(title: str, name: Dimension) -> OfModel:
    return OfModel(title, lambda model: model.summary.dimensions[name].value, show.score)


RANK = OfModel("#", lambda model: model.rank, show.count, "Rank by score")
NAME = OfModel("Model", lambda model: model.name, page=lambda model: model_page(model.id))
MODE = OfModel("Mode", lambda model: model.mode or show.MISSING)
SCORE = OfModel(
    "Score",
    lambda model: model.summary.expected.value,
    show.score,
    "The mean over briefs: a failure counts 0",
)
SCORE_INTERVAL = OfModel(
    "Interval of the score",
    lambda model: (model.summary.expected.low, model.summary.expected.high),
    show.interval,
    "Over briefs",
)
CONTENT = OfModel(
    "Content",
    content_of,
    show.score,
    "Share of the stated effects that are right, the mean over briefs: a failure counts 0",
)
CONTENT_INTERVAL = OfModel(
    "Interval of content",
    lambda model: (model.summary.content.low, model.summary.content.high),
    show.interval,
    "Over the briefs that state effects",
)
CODED = OfModel(
    "Coded",
    lambda model: model.summary.coded.value,
    show.share,
    "Share of the labels that a codebook holds; the others were read by words",
)
BRIEFS = OfModel(
    "Briefs", lambda model: model.summary.expected.n, show.count, "Briefs with a score"
)
BRIEFS_WITH_CONTENT = OfModel(
    "With effects",
    lambda model: model.summary.content.n,
    show.count,
    "Briefs with an answer that state effects",
)
USABLE = OfModel(
    "Usable",
    lambda model: _usable(model.summary.usable, model.summary.cells),
    show.share,
    "Cells with a usable graph",
    page=partial(_cells_of_model, OUTCOMES["usable"]),
)
UNCHECKED = count_of_cells(
    "Unchecked", lambda model: model.summary.unchecked, "unchecked", _UNCHECKED
)
UNANSWERED = count_of_cells(
    "No answer",
    lambda model: model.summary.unanswered,
    OUTCOMES["no_answer"],
    "The next run calls these cells again",
)
COST = OfModel("Cost", _cost, show.money, "US dollars spent")
COST_PER_USABLE = OfModel(
    "Per usable graph", _cost_per_usable, show.money, "Cost of a usable graph"
)
P50 = OfModel("p50", lambda model: model.summary.latency.p50_ms, show.duration, "Median latency")
P95 = OfModel(
    "p95", lambda model: model.summary.latency.p95_ms, show.duration, "Latency, 95th percentile"
)
LEADERBOARD = (RANK, NAME, SCORE, CONTENT, USABLE, COST_PER_USABLE, P50)
"""The leaderboard, everywhere; its first two columns name the row."""
HEADLINES = (SCORE_INTERVAL, CONTENT_INTERVAL, BRIEFS, BRIEFS_WITH_CONTENT, CODED)
"""How sure the score and content are."""
OTHERS = (P95, MODE, UNCHECKED, UNANSWERED, COST)
"""What the site has beside them."""
DIMENSION_COLUMNS = (
    _dimension("Parameter quality", "param_quality"),
    _dimension("Option differentiation", "option_diff"),
    _dimension("Completeness", "completeness"),
)
DIMENSIONS_AND_SPREAD = (
    NAME,
    OfModel("n", lambda model: model.summary.scored, show.count, "Valid graphs"),
    *DIMENSION_COLUMNS,
    OfModel(
        "Default edges",
        lambda model: model.summary.default_share.value,
        show.share,
        "Causal edges at the default parameters",
    ),
    OfModel(
        "Spread of samples",
        lambda model: model.summary.spread.samples,
        show.score,
        "Standard deviation",
    ),
    OfModel(
        "Spread of briefs",
        lambda model: model.summary.spread.briefs,
        show.score,
        "Standard deviation",
    ),
)
TOKENS = (
    NAME,
    OfModel("Input", lambda model: model.summary.tokens.input, show.count, "Tokens"),
    OfModel(
        "From cache",
        lambda model: model.summary.tokens.cached_share,
        show.share,
        "Of the input tokens",
    ),
    OfModel("Saved by the cache", lambda model: model.cache_saved_usd, show.money),
    OfModel("Output", lambda model: model.summary.tokens.output, show.count, "Tokens"),
    OfModel("Reasoning", lambda model: model.summary.tokens.reasoning, show.count, "Tokens"),
    OfModel(
        "Output per answer", lambda model: model.summary.tokens.output_mean, show.count, "Tokens"
    ),
)


def _cells_of_brief(status: str, brief: BriefResult) -> str:
    return cells_link(brief=brief.brief_id, status=status)


BRIEF = OfBrief(
    "Brief", lambda brief: brief.brief_id, page=lambda brief: brief_page(brief.brief_id)
)
COMPLEXITY = OfBrief("Complexity", lambda brief: brief.complexity)
USABLE_ON_BRIEF = OfBrief(
    "Usable",
    lambda brief: _usable(brief.summary.usable, brief.summary.cells),
    show.share,
    "Cells with a usable graph",
    page=partial(_cells_of_brief, OUTCOMES["usable"]),
)
SPREAD = OfBrief(
    "Spread",
    lambda brief: brief.spread,
    show.score,
    "Standard deviation over the models that have a usable graph on any brief",
)


def best_and_worst(names: Mapping[str, str]) -> tuple[OfBrief, OfBrief]:
    """Columns of the models that did best and worst on a brief, by their names."""
    best = OfBrief(
        "Best",
        lambda brief: _named_score(brief, brief.best, names),
        page=lambda brief: model_page(brief.best) if brief.best else "",
    )
    worst = OfBrief(
        "Worst",
        lambda brief: _named_score(brief, brief.worst, names),
        page=lambda brief: model_page(brief.worst) if brief.worst else "",
    )
    return best, worst


def _named_score(brief: BriefResult, model: str | None, names: Mapping[str, str]) -> str:
    return f"{names[model]} {show.score(brief.scores[model])}" if model else show.MISSING


def _content_on_brief(brief: BriefResult) -> Raw:
    return "form only" if brief.form_only else brief.summary.content.value


def brief_columns(names: Mapping[str, str]) -> tuple[OfBrief, ...]:
    """The columns of the table of all briefs."""
    return (
        BRIEF,
        OfBrief(
            "Score",
            lambda brief: brief.summary.cell_expected.value,
            show.score,
            "Mean over all models; a failure counts 0",
        ),
        COMPLEXITY,
        USABLE_ON_BRIEF,
        OfBrief("Content", _content_on_brief, show.score, "Mean over all models"),
        *best_and_worst(names),
        SPREAD,
    )


BRIEF_OF_CELL = OfCell(
    "Brief", lambda cell: cell.brief_id, page=lambda cell: brief_page(cell.brief_id)
)


def model_of_cell(names: Mapping[str, str]) -> OfCell:
    """The model's name."""
    return OfCell(
        "Model", lambda cell: names[cell.model_id], page=lambda cell: model_page(cell.model_id)
    )


EXPECTED_OF_CELL = OfCell(
    "Score",
    lambda cell: cell.expected_score,
    show.score,
    "The overall score; a failure counts 0",
)


def _outcome(page: Callable[[ScoredCell], str]) -> OfCell:
    return OfCell("Outcome", outcome_text, look=outcome_look, page=page)


OUTCOME_AMONG_MODEL = _outcome(lambda cell: f"{cell_page(cell.cell)}#model={cell.model_id}")
"""It leads to the cell's page, from which the others of its model are previous and next."""
OUTCOME_AMONG_BRIEF = _outcome(lambda cell: f"{cell_page(cell.cell)}#brief={cell.brief_id}")
"""The same, with the others of its brief."""
SAMPLE = OfCell("Sample", lambda cell: cell.sample, show.count)
FIGURES_OF_CELL = (
    OfCell("Parameters", lambda cell: cell.dimensions.get("param_quality"), show.score),
    OfCell("Options", lambda cell: cell.dimensions.get("option_diff"), show.score),
    OfCell("Completeness", lambda cell: cell.dimensions.get("completeness"), show.score),
    OfCell(
        "Content",
        content_of_cell,
        show.score,
        "Share of the stated effects that the graph has right; 0 if it is not usable",
    ),
    OfCell("Failures", lambda cell: codes_text(cell.codes)),
    OfCell("Output tokens", lambda cell: cell.measured.usage.output_tokens, show.count),
    OfCell("Cost", lambda cell: cell.measured.est_cost_usd, show.money),
    OfCell("Latency", lambda cell: cell.measured.latency_ms, show.duration),
)


def _code_look(failure: Occurrence) -> str:
    return "bad" if failure.answered else "warn"


def _failure(page: Callable[[Occurrence], str]) -> OfCode:
    return OfCode("Failure", lambda failure: code_name(failure.code), page=page)


FAILURE = _failure(lambda failure: cells_link(code=failure.code))
FAILURE_OF_MODEL = _failure(
    lambda failure: cells_link(model=failure.cells[0].model_id, code=failure.code)
)
CODE = OfCode("Code", lambda failure: failure.code, code=True, look=_code_look)
SHARE = OfCode(
    "Share",
    lambda failure: _usable(len(failure.cells), failure.of_cells),
    show.share,
    "Of the cells",
)
RECORDED_AS = OfCode(
    "Recorded as", lambda failure: show.first_of(failure.failure_codes) or show.MISSING
)
MODELS = OfCode("Models", lambda failure: _models_text(failure))
BRIEFS_OF_FAILURE = OfCode("Briefs", lambda failure: show.first_of(failure.briefs))
MEANING = OfCode("What it means", lambda failure: meaning_of(failure.code)[0])
FIX = OfCode("What to do", lambda failure: meaning_of(failure.code)[1])
WARNINGS = (
    OfCode(
        "Warning",
        lambda warning: code_name(warning.code),
        page=lambda warning: cells_link(warning=warning.code),
    ),
    OfCode("Code", lambda warning: warning.code, code=True, look=lambda _: "warn"),
    OfCode("Cells", lambda warning: len(warning.cells), show.count, "Cells that it occurs in"),
    MEANING,
    FIX,
)


def _models_text(failure: Occurrence) -> str:
    return show.first_of([f"{name} {show.count(cells)}" for name, cells in failure.models])
