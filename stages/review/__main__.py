"""`python -m stages.review`: writes the page that asks people which of two graphs is better, and the key to it."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stages.compare.loading import Loader
from stages.compare.revisions import WORKSPACE, NotStored, Revisions
from stages.compare.sides import NotMeasured
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.graph import STRUCTURAL, DraftGraph, read
from stages.contracts.json_text import pretty
from stages.contracts.response import Cell, Response
from stages.contracts.review import KEY_SUFFIX, SIZES, ReviewKey, ShownGraph, size_of
from stages.contracts.scorecard import Scorecard
from stages.report.drawing import draw_graph
from stages.report.site.frame import environment, inline, static
from stages.report.stored import Results
from stages.review.pairs import FEWEST, GraphCandidate, draw_pairs
from stages.score.response_files import read_response
from stages.shell import numbers, paths
from stages.shell.command import run
from stages.shell.files import write_atomic
from stages.shell.inputs import load_briefs, load_params

MOST = 400
MISSING_BRIEF = "The brief's file is missing."
_PACKAGE = "stages.review"


@dataclass(frozen=True, slots=True)
class Graphs:
    """The graphs that can be shown, the names of the two sides if there are two, and how the response to a brief is found."""

    candidates: tuple[GraphCandidate, ...]
    sides: tuple[str, ...]
    response_of: Callable[[str, ShownGraph], Response | None]


def main() -> None:
    """Draw the pairs, write the page and the key, and say what to do with them."""
    options = _options(sys.argv[1:])
    graphs = _of_revisions(options.base) if options.base else _of_run(tuple(options.models or ()))
    key = draw_pairs(graphs.candidates, options.pairs, options.seed, graphs.sides)

    def graph_of(brief_id: str, shown: ShownGraph) -> DraftGraph:
        response = graphs.response_of(brief_id, shown)
        if response is None or response.status != "success":
            file = paths.RESPONSES / paths.response_file(shown.model_id, brief_id, shown.sample)
            raise InputError(
                [Problem(file.as_posix(), "", "holds no graph: dvc checkout, or dvc repro")]
            )
        return read(response.parsed_graph)[0]

    page = review_page(key, {brief.id: brief.body for brief in load_briefs()}, graph_of)
    html, key_file = (
        paths.REVIEWS / f"{key.review}.html",
        paths.REVIEWS / f"{key.review}{KEY_SUFFIX}",
    )
    write_atomic(key_file, pretty(key.to_json()))
    write_atomic(html, page)
    _report(key, graphs, options.pairs)
    print(f"{html.as_posix()}: the page for each reviewer; open it from disk in a browser")
    print(
        f"{key_file.as_posix()}: which graph is whose; commit it with the reviews, and do not show it to reviewers"
    )


def _report(key: ReviewKey, graphs: Graphs, wanted: int) -> None:
    scores = {(one.brief_id, one.shown): one.score for one in graphs.candidates}
    plain = [pair for pair in key.pairs if pair.kind == "pair"]
    sizes = [
        size_of(scores[pair.brief_id, pair.left] - scores[pair.brief_id, pair.right])
        for pair in plain
    ]
    counts = ", ".join(f"{sizes.count(size)} {size}" for size in SIZES)
    briefs = numbers.counted(len({pair.brief_id for pair in plain}), "brief")
    print(
        f"{numbers.counted(len(key.pairs), 'pair')} over {briefs}; differences of scores: {counts}"
    )
    if len(key.pairs) < wanted:
        shortage = (
            "there are no more pairs of different valid graphs; more samples or models give more"
        )
        print(f"--pairs {wanted} cannot be reached: {shortage}")


def _of_run(models: tuple[str, ...]) -> Graphs:
    results = Results()
    cards = [Scorecard.read(value) for value in results.cards()]
    known = sorted({card.model_id for card in cards})
    unknown = [model for model in models if model not in known]
    if unknown:
        rest = f"its models are {', '.join(known)}"
        raise InputError(
            Problem("--models", one, f"is no model of the run{nearest(one, known)}; {rest}")
            for one in unknown
        )
    return Graphs(
        _candidates(
            (card, card.model_id if models else "")
            for card in cards
            if not models or card.model_id in models
        ),
        models,
        lambda brief_id, shown: results.response(Cell(shown.model_id, brief_id, shown.sample)),
    )


def _of_revisions(base: str) -> Graphs:
    """The valid graphs of a revision and of the working tree, scored by the same rules; a side is named by the id of its run."""
    revisions = Revisions(Path.cwd())
    at = revisions.resolve_all((base, WORKSPACE))
    try:
        loaded = Loader(revisions, load_params()).load_comparable(*at)
    except NotMeasured as error:
        raise InputError(Problem("--base", base, reason) for reason in error.reasons) from None
    by_run = {side.run.run_id: side for side in loaded}
    if len(by_run) < 2:
        raise InputError(
            [
                Problem(
                    "--base", base, f"has the same run as the working tree, {loaded[0].run.run_id}"
                )
            ]
        )

    def response_of(brief_id: str, shown: ShownGraph) -> Response | None:
        file = paths.RESPONSES / paths.response_file(shown.model_id, brief_id, shown.sample)
        try:
            content = revisions.read(by_run[shown.side], file)
        except NotStored as error:
            raise InputError([Problem("--base", base, str(error))]) from None
        return None if content is None else read_response(content, file=file.as_posix())

    candidates = _candidates((card, side.run.run_id) for side in loaded for card in side.scorecards)
    return Graphs(candidates, tuple(by_run), response_of)


def _candidates(cards: Iterable[tuple[Scorecard, str]]) -> tuple[GraphCandidate, ...]:
    return tuple(
        GraphCandidate(
            card.brief_id,
            ShownGraph(
                model_id=card.model_id, sample=card.sample, fingerprint=card.fingerprint, side=side
            ),
            card.expected_score,
        )
        for card, side in cards
        if card.overall_score is not None and card.expected_score is not None
    )


def review_page(
    key: ReviewKey, briefs: Mapping[str, str], graph_of: Callable[[str, ShownGraph], DraftGraph]
) -> bytes:
    """The page that a reviewer opens from disk: every pair of drawings, without anything that says whose they are."""
    pairs = []
    for pair in key.pairs:
        graphs = {
            "left": graph_of(pair.brief_id, pair.left),
            "right": graph_of(pair.brief_id, pair.right),
        }
        if pair.damaged:
            graphs[pair.damaged] = damaged(graphs[pair.damaged])
        left, right = (draw_graph(graph, compact=True) for graph in graphs.values())
        pairs.append((pair.pair, briefs.get(pair.brief_id, MISSING_BRIEF), left, right))
    templates = environment(_PACKAGE)
    shown = inline(
        f"{templates.globals['style']}{static(_PACKAGE, 'review.css')}",
        static(_PACKAGE, "review.js"),
    )
    html = templates.get_template("review.html.j2").render(review=key.review, pairs=pairs, **shown)
    return html.encode("utf-8", errors="replace")


def damaged(graph: DraftGraph) -> DraftGraph:
    """A visibly worse copy for a control pair: without half of the causal edges, and every factor has the label of the first.

    >>> from stages.contracts.graph import read
    >>> nodes = [{"id": "a", "kind": "factor", "label": "Price"}, {"id": "b", "kind": "factor", "label": "Demand"}]
    >>> damaged(read({"nodes": nodes, "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}]})[0]).nodes[1].label
    'Price'
    """
    kinds = {node.id: node.kind for node in graph.nodes}
    causal = [
        edge.index
        for edge in graph.edges
        if (kinds.get(edge.source), kinds.get(edge.target)) not in STRUCTURAL
    ]
    removed = set(causal) - set(causal[1::3])
    label = next(
        (node.label for node in graph.nodes if node.kind == "factor" and node.label), "Factor"
    )
    nodes = [
        node.model_copy(update={"label": label}) if node.kind == "factor" else node
        for node in graph.nodes
    ]
    edges = [edge for edge in graph.edges if edge.index not in removed]
    return graph.model_copy(update={"nodes": tuple(nodes), "edges": tuple(edges)})


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m stages.review",
        description="Ask people which of two graphs they would rather work with, blind.",
    )
    add = parser.add_argument
    pairs = f"pairs in total, {FEWEST} to {MOST}; default: 40, half an hour"
    add("--pairs", type=int, default=40, metavar="N", help=pairs)
    add(
        "--models",
        nargs=2,
        metavar=("A", "B"),
        help="only these two models, one graph of each in every pair",
    )
    add(
        "--base",
        metavar="REV",
        help="one graph of this revision and one of the working tree in every pair",
    )
    add(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="another number draws other pairs; default: 1",
    )
    found = parser.parse_args(arguments)
    models = found.models or ("", " ")
    checks = (
        (
            FEWEST <= found.pairs <= MOST,
            "--pairs",
            f"must be {FEWEST} to {MOST}, found {found.pairs}",
        ),
        (found.seed >= 0, "--seed", f"must not be negative, found {found.seed}"),
        (
            not (found.models and found.base),
            "--models",
            "cannot be used with --base, which compares all models",
        ),
        (models[0] != models[1], "--models", f"names {models[0]} twice"),
    )
    problems = [Problem(option, "", message) for valid, option, message in checks if not valid]
    if problems:
        raise InputError(problems)
    return found


if __name__ == "__main__":
    run(main)
