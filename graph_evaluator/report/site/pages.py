"""The files of the site: the overview (which model for each mode, how sure that is, what it costs
and what went wrong), the glossary, the prompt, and a page for every model, brief and answer.
"""

import math
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files

from graph_evaluator.analysis.summary import summarise
from graph_evaluator.present.page import (
    GLOSSARY,
    OVERVIEW,
    PROMPT,
    Frame,
    brief_page,
    cell_page,
    cells_link,
    model_page,
    root_of,
    site_assets,
)
from graph_evaluator.present.table import MAX_ROWS, Column, Entry, Raw, Table, make_table
from graph_evaluator.records.brief import Brief
from graph_evaluator.records.codes import CODES, code_name
from graph_evaluator.records.json_text import line
from graph_evaluator.records.scorecard import EffectOutcome
from graph_evaluator.report.columns import (
    DIMENSION_NAMES,
    HEADLINES,
    LEADERBOARD,
    NAME,
    OTHERS,
    OUTCOMES,
    cell_columns,
    code_columns,
    leaderboard,
    reruns_text,
    table_of,
)
from graph_evaluator.report.decision import VERDICTS
from graph_evaluator.report.drawing.charts import cost_chart
from graph_evaluator.report.drawing.sketch import MAX_NODES
from graph_evaluator.report.findings import RANKING_NOTE, Findings, ReadCell
from graph_evaluator.report.graph_text import PartNumbers
from graph_evaluator.report.options import choices_section, options_table
from graph_evaluator.report.ranking import BriefResult, Candidate, failures_of
from graph_evaluator.report.site.cell import ReadAnswer, cell_file, cell_list_files, site_page
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip

MAX_EFFECT = 400
"""Columns of an effect."""
MAX_COMPARED = 60
"""Graphs that a reader can put side by side, those of the highest form first."""
LOOKS: Mapping[EffectOutcome, str] = {"wrong": "bad", "missing": "warn", "right": "good"}
"""What a graph says about an effect, the worst first, and its colour."""
SIMULATED = "This model is simulated: it shows how the tool works, not how real models answer."
MAX_NOTES = 8
MAX_BRIEFS = 120
MAX_MODELS = 40
TERMS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    files(__package__).joinpath("terms.toml").read_text("utf-8")
)
"""The words of the pages: the `first` are on the overview, and with the others in the glossary."""


def site_files(
    findings: Findings,
    briefs: Mapping[str, Brief],
    read_cell: ReadCell,
    prompt: str = "",
) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, one after another: what is yielded can be written and forgotten.

    Relative paths (made from checked ids only) and contents; equal inputs give equal bytes.
    `briefs` are those by id, as far as there are any; `read_cell` gives the scorecard and the
    response of a cell, None when its file is missing; `prompt` is the text of the run's, empty if
    it is unknown.

    Raises:
        UnsafeId: an id in the findings cannot be a file name.
    """
    run, names = findings.run, findings.names
    frame = Frame(run.run_id, run.prompt.path, run.tool_version)
    yield from site_assets().items()
    yield overview_file(frame._replace(notices=findings.notices), findings)
    yield glossary_file(frame)
    yield PROMPT, site_page(frame, "prompt.html.j2", title="Prompt", at=PROMPT, text=prompt)
    simulated = (SIMULATED,)
    for model in findings.candidates:
        of_model = frame._replace(notices=simulated if model.summary.simulated else ())
        yield _model_file(of_model, findings, model)
    for result in findings.briefs:
        brief = briefs.get(result.brief_id)
        answers = [ReadAnswer(names[cell.model_id], *read_cell(cell.cell)) for cell in result.cells]
        yield brief_file(frame, findings, result, brief, answers)
        for answer in answers:
            of_answer = frame._replace(notices=simulated if answer.card.cost.simulated else ())
            yield cell_file(of_answer, answer, brief.body if brief else "")
    yield from cell_list_files(frame, findings)


def _model_file(frame: Frame, findings: Findings, model: Candidate) -> tuple[str, bytes]:
    """The page of a model."""
    at = model_page(model.id)
    root = root_of(at)
    failures = failures_of(model.cells, findings.names)
    columns = code_columns(lambda failed: cells_link(model=model.id, code=failed.code))
    return at, site_page(
        frame,
        "model.html.j2",
        title=model.name,
        at=at,
        model=model,
        summary=model.summary,
        flags=[note.message for note in findings.notes if note.model_id == model.id],
        total=findings.total,
        dimensions=DIMENSION_NAMES,
        answers=table_of(
            sorted(model.cells, key=lambda cell: cell.form),
            cell_columns(findings.names, of_brief=False),
            title=f"Answers of {model.name}, the lowest form first",
            name="cells",
            root=root,
        ),
        failures=table_of(failures, columns, title="Failures", name="failures", root=root),
        outcomes=OUTCOMES,
    )


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


def overview_file(frame: Frame, findings: Findings) -> tuple[str, bytes]:
    """The path and the content of the page that the site opens with."""
    unusable = [cell for cell in findings.cells if not cell.usable]
    times = [cell.measured.created_at or "" for cell in findings.cells if not cell.cost.simulated]
    models, level = findings.candidates, numbers.share(findings.decision.confidence)
    more = (NAME, *HEADLINES, *OTHERS)
    sections = (choices_section(findings.briefs, models), *findings.sections)
    return OVERVIEW, site_page(
        frame,
        "overview.html.j2",
        title="Which model for which mode",
        at=OVERVIEW,
        findings=findings,
        answered_on=max(times, default="")[:10],
        wasted_usd=summarise(unusable).cost.usd,
        verdicts=VERDICTS,
        terms=TERMS["first"],
        outcomes=OUTCOMES,
        most_notes=MAX_NOTES,
        board=leaderboard(models, LEADERBOARD, root=""),
        more=table_of(models, more, title="More of every model", name="more", root=""),
        board_note=f"{RANKING_NOTE} Intervals are {level}, over briefs.",
        reruns=reruns_text(findings.total),
        sections=[section for section in sections if not section.is_empty],
        chart_of_cost=cost_chart(models),
        heat_models=models[:MAX_MODELS],
        heat_briefs=sorted(findings.briefs, key=_lowest_first)[:MAX_BRIEFS],
    )


def _lowest_first(brief: BriefResult) -> float:
    score = brief.summary.cell_expected.value
    return math.inf if score is None else score


def glossary_file(frame: Frame) -> tuple[str, bytes]:
    """The path and the content of the glossary: the terms and codes of the pages."""
    return GLOSSARY, site_page(
        frame,
        "glossary.html.j2",
        title="Glossary",
        at=GLOSSARY,
        terms={**TERMS["first"], **TERMS["more"]},
        codes=[(code_name(code), code, CODES[code]) for code in sorted(CODES, key=code_name)],
    )
