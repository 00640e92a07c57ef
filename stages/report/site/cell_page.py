"""A cell's page: the drawn graph, the scores and what they count, what is wrong with it, and the answer as it came."""

from collections.abc import Mapping
from dataclasses import dataclass

from stages.contracts.cell import Cell
from stages.contracts.graph import DraftGraph, read
from stages.contracts.response import Response
from stages.contracts.scorecard import DIMENSIONS, Finding, Scorecard
from stages.report import number_formats as show
from stages.report.drawing import drawn, of_findings
from stages.report.meanings import meaning_of
from stages.report.site.addresses import brief_page, cell_page, model_page, root_of
from stages.report.site.cards import Fact
from stages.report.site.cell_tables import graph_tables, request_table
from stages.report.site.entries import status_entry
from stages.report.site.evidence import Find, Page
from stages.report.site.frame import Frame, Trail, page
from stages.report.visible_text import cut, visible, visible_lines

MAX_RAW = 60_000
MAX_FINDINGS = 200
_TITLES = {
    "param_quality": "Parameter quality",
    "option_diff": "Option differentiation",
    "completeness": "Completeness",
}


@dataclass(frozen=True)
class CellPages:
    """Makes the page of any cell of a run; small enough to be handed to other processes."""

    frame: Frame
    names: Mapping[str, str]
    find: Find

    def __call__(self, cell: Cell) -> Page:
        """The page of a cell."""
        card, response = self.find(cell)
        at = cell_page(cell)
        name = self.names.get(cell.model_id, cell.model_id)
        trail = (Trail(name, model_page(cell.model_id)), Trail(cell.brief_id, brief_page(cell.brief_id)))
        graph = _graph(response)
        verdict = status_entry(card.status, valid=card.structural_valid)
        title = f"{name} on {cell.brief_id}" + (f", sample {cell.sample}" if cell.sample > 1 else "")
        content: dict[str, object] = {
            "look": verdict.look,
            "verdict": verdict.text,
            "lede": _lede(card),
            "facts": _facts(card),
            "error": cut(visible(response.error_message), 2000) if response and response.error_message else "",
            "drawing": drawn(
                graph,
                name="g",
                title=f"Graph drafted by {title}",
                emphasis=of_findings(graph, card.violations),
            ),
            "no_graph": _no_graph(card, response, graph),
            "violations": _findings(card.violations, graph),
            "warnings": _findings(card.warnings, graph),
            "dimensions": _dimensions(card),
            "tables": (*graph_tables(graph), *((request_table(response),) if response else ())),
            **_raw(response),
        }
        return page(self.frame, "cell", at, title, trail, {**content, "root": root_of(at)})


def _graph(response: Response | None) -> DraftGraph:
    found = response.parsed_graph if response and response.status == "success" else {"nodes": [], "edges": []}
    return read(found)[0]


def _no_graph(card: Scorecard, response: Response | None, graph: DraftGraph) -> str:
    if graph.nodes or graph.edges:
        return ""
    if card.status != "success":
        return "There is none."
    return (
        "The answer has no nodes and no edges." if response else "The response is not there any more: run dvc checkout."
    )


def _lede(card: Scorecard) -> str:
    if card.structural_valid:
        return f"Overall score {show.score(card.overall_score)}."
    if card.status == "success":
        return f"The graph breaks {len(set(card.violation_codes))} of the structural rules, so it has no scores."
    told = meaning_of(card.status)
    return f"{told.meaning} {told.mend}"


def _facts(card: Scorecard) -> tuple[Fact, ...]:
    reasoning = (
        f"{show.tokens(card.measured.usage.reasoning_tokens)} of them reasoning"
        if card.measured.usage.reasoning_tokens
        else ""
    )
    cached = (
        f"{show.tokens(card.measured.usage.cached_tokens)} of them cached" if card.measured.usage.cached_tokens else ""
    )
    attempts = f"{card.measured.attempts} attempts" if card.measured.attempts > 1 else ""
    return (
        ("Overall score", show.score(card.overall_score), f"counts as {show.score(card.expected_score)}"),
        ("Nodes and edges", f"{show.count(card.node_count)} and {show.count(card.edge_count)}", ""),
        ("Input tokens", show.tokens(card.measured.usage.input_tokens), cached),
        ("Output tokens", show.tokens(card.measured.usage.output_tokens), reasoning),
        (
            "Cost",
            show.money(card.measured.est_cost_usd),
            f"{card.measured.draws} draws" if card.measured.draws > 1 else "",
        ),
        ("Latency", show.duration(card.measured.latency_ms), attempts),
    )


def _findings(found: tuple[Finding, ...], graph: DraftGraph) -> list[dict[str, str]]:
    places: dict[str, list[int]] = {}
    for place, node in enumerate(graph.nodes):
        places.setdefault(node.id, []).append(place)
    return [
        {
            "code": item.code,
            "message": cut(visible(item.message), 1000),
            "path": cut(visible(item.path), 200) if item.path else "",
            "lights": " ".join(f"g-n{place}" for node in item.nodes[:50] for place in places.get(node, ())),
        }
        for item in found[:MAX_FINDINGS]
    ]


def _dimensions(card: Scorecard) -> list[dict[str, object]]:
    scores = {"param_quality": card.param_quality, "option_diff": card.option_diff, "completeness": card.completeness}
    return [
        {
            "title": _TITLES[dimension],
            "score": show.score(scores[dimension]),
            "subs": [
                {
                    "title": cut(visible(sub.name).replace("_", " ").capitalize(), 80),
                    "value": show.score(sub.value),
                    "weight": f"{sub.weight:.0%}",
                    "bar": f"{100 * min(max(sub.value, 0.0), 1.0):.1f}",
                    "message": cut(visible(sub.message), 600),
                }
                for sub in card.sub_scores[dimension]
            ],
        }
        for dimension in DIMENSIONS
        if dimension in card.sub_scores
    ]


def _raw(response: Response | None) -> dict[str, object]:
    text = response.raw_text if response and response.raw_text is not None else ""
    note = f"Its first {MAX_RAW:,} of {len(text):,} characters." if len(text) > MAX_RAW else ""
    size = f"{len(text):,} characters" if text else "An empty answer"
    return {"raw": visible_lines(text[:MAX_RAW]), "raw_note": note, "raw_size": size}
