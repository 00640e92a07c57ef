"""The page of a cell: the brief and the drawn graph, what is wrong with it, its scores with their
evidence, the answer.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from stages.report.columns import outcome_of
from stages.report.drawing.sketch import MAX_NODES, draw_graph, looks_of
from stages.report.failures import code_name, meaning_of
from stages.report.graph_text import coaching_of
from stages.report.site.table import MAX_ROWS, PACKAGE, listing
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.page import Frame, brief_page, cell_page, model_page, page
from stages.shared.present.table import Column, Table
from stages.shared.records.brief import Brief, Prompt
from stages.shared.records.graph import DraftGraph, Node, read
from stages.shared.records.json_text import canonical, pretty
from stages.shared.records.response import Cell, Response
from stages.shared.records.scorecard import CheckResult, Scorecard
from stages.shared.shell import numbers
from stages.shared.shell.text import clip

MAX_WARNINGS = 20
MAX_OTHERS = 60
"""Links to other cells of the brief at most; the brief's page has all."""
MAX_EVIDENCE = 20
"""Labels, numbers and passages of a check at most."""
MAX_PASSAGE = 200


class CellLink(NamedTuple):
    """A cell with its page, its name, the colour of its outcome and its score."""

    cell: Cell
    page: str
    name: str
    look: str
    score: str


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
    (graph, _), graph_json, has_prompt = read(None), "", False
    if response is not None and response.answer.status == "success":
        graph, _ = read(response.answer.graph)
        if response.answer.extraction_method != "direct":
            graph_json = pretty(response.answer.graph).decode()
    if response is not None and prompt is not None:
        has_prompt = response.request.get("instructions_sha256") == prompt.sha256
    title = f"{name} on {cell.brief_id}{_sample(cell)}"
    return at, page(
        frame,
        "cell.html.j2",
        package=PACKAGE,
        title=title,
        at=at,
        trail=((name, model_page(cell.model_id)), (cell.brief_id, brief_page(cell.brief_id))),
        outcome=outcome_of(scored),
        lede=_lede(card),
        reasons=_reasons(card),
        card=card,
        response=response,
        brief=brief.body if brief else "",
        others=[link for link in of_brief if link.cell != cell],
        code_name=code_name,
        evidence=_evidence,
        coaching=coaching_of(graph),
        graph_json=graph_json,
        has_prompt=has_prompt,
        sketch=draw_graph(graph, "g", f"Graph drafted by {title}", looks_of(card.violations)),
        drawn=partial(drawn_nodes, graph),
        tables=[
            ("Stated effects", _effects(card)),
            *_graph_tables(graph),
            ("Request", _request(response)),
        ],
    )


def link_to(scored: ScoredCell, name: str) -> CellLink:
    """What the pages of the same brief show of a cell."""
    cell = scored.cell
    page_among_brief = f"{cell_page(cell)}#brief={cell.brief_id}"
    score = numbers.score(scored.expected_score)
    return CellLink(
        cell, page_among_brief, f"{name}{_sample(cell)}", outcome_of(scored).look, score
    )


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
    """The nodes and the edges, each with their heading; the first of several nodes with one id
    names it.
    """
    labels = {node.id: node.label or node.id for node in reversed(graph.nodes)}
    nodes = [
        (node.label or "", node.kind, node.category or "", node.id, _settings(node, labels))
        for node in graph.nodes
    ]
    columns = ("Label", "Kind", "Category", Column("Id", code=True), "Sets")
    yield "Nodes", listing("nodes", "Every node", columns, nodes)
    edges = [
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
    numeric = ("Mean strength", "Standard deviation", "Exists with probability")
    parameters = [Column(title, numbers.parameter) for title in numeric]
    yield "Edges", listing("edges", "Every edge", ("From", "To", *parameters, "Type"), edges)


def _settings(node: Node, labels: Mapping[str, str]) -> str:
    """What an option sets."""
    settings = sorted(node.interventions.items())
    return ", ".join(
        f"{labels.get(factor, factor)} = {numbers.parameter(value)}" for factor, value in settings
    )


def _request(response: Response | None) -> Table:
    title = "Settings of the request and the circumstances of the answer"
    facts: list[tuple[str, str | None]] = []
    if response is not None:
        answer = response.answer
        for name, value in sorted(response.request.items())[:MAX_ROWS]:
            facts.append((name, value if isinstance(value, str) else canonical(value).decode()))
        facts += [
            ("endpoint", answer.endpoint),
            ("answered by", answer.answered_model),
            ("service tier", answer.service_tier),
            ("finished", answer.created_at),
            ("fingerprint", answer.fingerprint),
            ("price from", response.pricing_source),
            ("JSON found", answer.extraction_method),
            *(("warning", warning) for warning in response.warnings[:MAX_WARNINGS]),
        ]
    rows = [(name, value) for name, value in facts if value is not None]
    return listing("request", title, ("Setting", "Value"), rows)
