"""The page of a brief: its text, its effects and options by model, and any two of its graphs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from graph_evaluator.present.page import Frame, brief_page, cell_page, root_of
from graph_evaluator.present.table import MAX_ROWS, Column, Entry, Raw, Table, make_table
from graph_evaluator.records.brief import Brief
from graph_evaluator.records.json_text import line
from graph_evaluator.records.scorecard import EffectOutcome
from graph_evaluator.report.columns import OUTCOMES, cell_columns, table_of
from graph_evaluator.report.drawing.sketch import MAX_NODES
from graph_evaluator.report.findings import Findings
from graph_evaluator.report.graph_text import PartNumbers
from graph_evaluator.report.options import options_table
from graph_evaluator.report.ranking import BriefResult, Candidate
from graph_evaluator.report.site.cell import ReadAnswer, site_page
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip

MAX_EFFECT = 400
"""Columns of an effect."""
MAX_COMPARED = 60
"""Graphs that a reader can put side by side, those of the highest form first."""
LOOKS: Mapping[EffectOutcome, str] = {"wrong": "bad", "missing": "warn", "right": "good"}
"""What a graph says about an effect, the worst first, and its colour."""


def brief_file(
    frame: Frame,
    findings: Findings,
    result: BriefResult,
    brief: Brief | None,
    answers: Sequence[ReadAnswer],
) -> tuple[str, bytes]:
    """The path and the content of the page; `brief` is None where its file is missing."""
    at = brief_page(result.brief_id)
    root = root_of(at)
    models = [model for model in findings.candidates if model.id in result.scores]
    stated = [str(effect) for effect in brief.expectations.effects] if brief else []
    return at, site_page(
        frame,
        "brief.html.j2",
        title=result.brief_id,
        at=at,
        row=result,
        summary=result.summary,
        models=models,
        brief=brief,
        effects=_effects_table(stated, answers, models, root),
        options=options_table(result, models),
        answers=table_of(
            result.cells,
            cell_columns(findings.names, of_brief=True),
            title=f"Answers to {result.brief_id}",
            name="cells",
            root=root,
        ),
        graphs=line(_graphs(answers)).decode(),
        outcomes=OUTCOMES,
    )


def _effects_table(
    stated: Iterable[str], answers: Iterable[ReadAnswer], models: Iterable[Candidate], root: str
) -> Table:
    """A row for each stated effect with what the graphs of each model say about it."""
    said: defaultdict[tuple[str, str], list[tuple[EffectOutcome, str]]] = defaultdict(list)
    for answer in answers:
        for effect in answer.card.effects:
            page = root + cell_page(answer.card.cell)
            said[effect.effect, answer.card.model_id].append((effect.outcome, page))
    measured = {model for _, model in said}
    shown = [model for model in models if model.id in measured]
    effects = dict.fromkeys([*stated, *(effect for effect, _ in said)])
    rows: list[list[Raw]] = [
        [clip(effect, MAX_EFFECT), *(_said(said[effect, model.id]) for model in shown)]
        for effect in effects
    ]
    columns = [Column("Effect"), *(Column(model.name) for model in shown)]
    title = "What the graphs say about each effect"
    return make_table(columns, rows, title=title, name="effects").first(MAX_ROWS)


def _said(outcomes: Sequence[tuple[EffectOutcome, str]]) -> Entry:
    """What the answers of a model say about an effect, with the page of the worst."""
    if not outcomes:
        return Entry(numbers.MISSING)
    pages = dict(reversed(outcomes))
    counts = Counter(outcome for outcome, _ in outcomes)
    found = [outcome for outcome in LOOKS if counts[outcome]]
    words = [f"{counts[outcome]} {outcome}" for outcome in found]
    text = ", ".join(words) if len(outcomes) > 1 else found[0]
    return Entry(text, href=pages[found[0]], look=LOOKS[found[0]])


def _graphs(answers: Iterable[ReadAnswer]) -> list[object]:
    """The name, the page and the parts of the graphs, those of the highest form first."""
    drawn = [answer for answer in answers if 0 < len(answer.graph.nodes) <= MAX_NODES]
    drawn.sort(key=lambda answer: -answer.card.form)
    reader = PartNumbers()
    graphs: list[object] = []
    for answer in drawn[:MAX_COMPARED]:
        card, parts = answer.card, reader.read(answer.graph, answer.card.recommendation)
        graphs.append([answer.name, card.model_id, cell_page(card.cell), parts])
    return graphs
