"""The page of a cell: the brief and the drawn graph, what is wrong with it, its scores with their
evidence, the answer.
"""

from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from markupsafe import Markup

from stages.report.columns import outcome_look, outcome_text
from stages.report.drawing.sketch import MAX_NODES, draw_graph, emphasis_of
from stages.report.failures import code_name, meaning_of
from stages.report.graph_text import coaching_of
from stages.report.site.table import MAX_ROWS, PACKAGE, listing
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.page import Frame, brief_page, cell_page, model_page, page, root_of
from stages.shared.present.table import Column, Table
from stages.shared.records.brief import Brief, Prompt
from stages.shared.records.graph import DraftGraph, read
from stages.shared.records.json_text import canonical, pretty
from stages.shared.records.response import Cell, Response
from stages.shared.records.scorecard import CheckResult, Scorecard
from stages.shared.shell import numbers
from stages.shared.shell.text import clip, visible

MAX_WARNINGS = 20
MAX_OTHERS = 60
"""Links to other cells of the brief at most; the brief's page has all."""
MAX_EVIDENCE = 20
"""Labels, numbers and passages of a check at most."""
MAX_PASSAGE = 200
MAX_LABEL = 200
CellLink: TypeAlias = tuple[Cell, Markup]
"""A cell with the link to its page."""
_LINK = Markup('<a href="{href}">{name} <span class="tag {look}">{score}</span></a>')


def drawn_nodes(graph: DraftGraph, ids: Container[str], labels: Container[str] = ()) -> str:
    """The ids on the page, separated by spaces, of the drawn nodes that have one of these ids or
    labels.
    """
    return " ".join(
        f"g-n{place}"
        for place, node in enumerate(graph.nodes[:MAX_NODES])
        if node.id in ids or node.label in labels
    )


def cell_file(
    frame: Frame,
    scored: ScoredCell,
    name: str,
    card: Scorecard,
    response: Response | None,
    *,
    brief: Brief | None = None,
    of_brief: Sequence[CellLink] = (),
    prompt: Prompt | None = None,
) -> tuple[str, bytes]:
    """The path and the content of the page of a cell of the model with this name.

    `response` is None when its file is missing, `brief` and `prompt` when theirs are; `of_brief`
    are the links to the cells of the brief.
    """
    cell = scored.cell
    at = cell_page(cell)
    answered = response is not None and response.answer.status == "success"
    graph, _ = read(response.answer.graph if response and answered else None)
    title = f"{name} on {cell.brief_id}{_sample(cell)}"
    emphasis = emphasis_of(card.violations)
    return at, page(
        frame,
        "cell.html.j2",
        package=PACKAGE,
        title=title,
        at=at,
        trail=((name, model_page(cell.model_id)), (cell.brief_id, brief_page(cell.brief_id))),
        outcome=outcome_text(scored),
        look=outcome_look(scored),
        lede=_lede(card),
        reasons=_reasons(card),
        card=card,
        response=response,
        brief=brief.body if brief else "",
        others=[link for other, link in of_brief if other != cell],
        code_name=code_name,
        evidence=_evidence,
        coaching=coaching_of(graph),
        graph_json=_graph_json(response) if answered else "",
        has_prompt=_has_prompt(response, prompt),
        sketch=draw_graph(graph, "g", f"Graph drafted by {title}", emphasis),
        drawn=partial(drawn_nodes, graph),
        tables=[
            ("Stated effects", _effects(card)),
            *_graph_tables(graph),
            ("Request", _request(response)),
        ],
    )


def link_to(scored: ScoredCell, name: str) -> CellLink:
    """A cell with the link to its page that the pages of the same brief show."""
    cell = scored.cell
    at = cell_page(cell)
    html = _LINK.format(
        href=f"{root_of(at)}{at}#brief={cell.brief_id}",
        name=visible(f"{name}{_sample(cell)}"),
        look=outcome_look(scored),
        score=numbers.score(scored.expected_score),
    )
    return cell, html


def _sample(cell: Cell) -> str:
    return f", sample {cell.sample}" if cell.sample > 1 else ""


def _evidence(check: CheckResult) -> list[tuple[str, list[str]]]:
    """What a check found, in the graph and in the brief, each with its heading."""
    passages = [passage.text for passage in check.passages[:MAX_EVIDENCE]]
    evidence = (
        ("In the graph", [clip(label, MAX_PASSAGE) for label in check.labels[:MAX_EVIDENCE]]),
        ("Numbers", list(map(numbers.parameter, check.numbers[:MAX_EVIDENCE]))),
        ("In the brief", [clip(passage, MAX_PASSAGE) for passage in passages]),
    )
    return [(heading, texts) for heading, texts in evidence if texts]


def _graph_json(response: Response | None) -> str:
    """The graph as JSON where the answer as received is more than that."""
    if response is None or response.answer.extraction_method == "direct":
        return ""
    return pretty(response.answer.graph).decode()


def _has_prompt(response: Response | None, prompt: Prompt | None) -> bool:
    """True where the answer is to the prompt that the site has."""
    if response is None or prompt is None:
        return False
    return response.request.get("instructions_sha256") == prompt.sha256


def _lede(card: Scorecard) -> str:
    if card.unchecked:
        score = numbers.score(card.overall_score)
        checks = " and ".join(card.checks_of_statements) or "nothing else"
        unchecked = f"Unchecked are its words; {checks} compared it with its brief"
        return f"Overall score {score}. {unchecked}."
    if card.usable:
        return f"Overall score {numbers.score(card.overall_score)}."
    if card.structural_valid:
        return "The graph does not belong to its brief, so it counts as 0:"
    if card.status == "success":
        rules = numbers.counted(len(set(card.violation_codes)), "structural rule")
        return f"The graph breaks {rules}, so it has no scores:"
    return " ".join(meaning_of(card.status))


def _reasons(card: Scorecard) -> list[tuple[str, str]]:
    """Links to the first violation of each rule that a graph breaks, else to each failed check."""
    first: dict[str, int] = {}
    for number, finding in enumerate(card.violations, start=1):
        first.setdefault(finding.code, number)
    rules = [(f"#violation-{number}", code_name(code)) for code, number in first.items()]
    failed = [check.name for check in card.fidelity if check.outcome == "fail" and not card.usable]
    return rules or [(f"#check-{name}", code_name(name)) for name in failed]


def _effects(card: Scorecard) -> Table:
    columns = ("Effect", "The graph", Column("Its effect", numbers.parameter))
    rows = [
        (result.effect, result.outcome.replace("_", " "), result.value) for result in card.effects
    ]
    return listing("effects", "The effects that the brief states", columns, rows)


def _graph_tables(graph: DraftGraph) -> Iterator[tuple[str, Table]]:
    """What the graph holds, each with its heading; the first of several nodes with one id names
    it.
    """
    labels = {node.id: node.label or node.id for node in reversed(graph.nodes)}
    interventions = [
        (node.label or node.id, labels.get(factor, factor), value)
        for node in graph.nodes
        for factor, value in sorted(node.interventions.items())
    ]
    columns = ("Option", "Factor", Column("Set to", numbers.parameter))
    title = "What each option sets"
    yield "Interventions", listing("interventions", title, columns, interventions)
    nodes = [(node.id, node.kind, node.category or "", node.label or "") for node in graph.nodes]
    yield "Nodes", listing("nodes", "Every node", ("Id", "Kind", "Category", "Label"), nodes)
    yield "Edges", _edges(graph, labels)


def _edges(graph: DraftGraph, labels: dict[str, str]) -> Table:
    columns = (
        "From",
        "To",
        Column("Mean strength", numbers.parameter),
        Column("Standard deviation", numbers.parameter),
        Column("Exists with probability", numbers.parameter),
        "Type",
    )
    rows = [
        (
            labels.get(edge.source, edge.source),
            labels.get(edge.target, edge.target),
            edge.mean,
            edge.std,
            edge.exists_probability,
            edge.edge_type or "directed",
        )
        for edge in graph.edges
    ]
    return listing("edges", "Every edge", columns, rows)


def _request(response: Response | None) -> Table:
    title = "Settings of the request and the circumstances of the answer"
    facts: list[tuple[str, str | None]] = []
    if response is not None:
        for name, value in sorted(response.request.items())[:MAX_ROWS]:
            facts.append((name, value if isinstance(value, str) else canonical(value).decode()))
        facts += [
            ("endpoint", response.answer.endpoint),
            ("answered by", response.answer.answered_model),
            ("service tier", response.answer.service_tier),
            ("finished", response.answer.created_at),
            ("fingerprint", response.answer.fingerprint),
            ("price from", response.pricing_source),
            ("JSON found", response.answer.extraction_method),
            *(("warning", warning) for warning in response.warnings[:MAX_WARNINGS]),
        ]
    rows = [(name, value) for name, value in facts if value is not None]
    return listing("request", title, ("Setting", "Value"), rows, sortable=False)
