"""A run on disk, some of whose labels are hostile, and the review that is drawn from it."""

from unittest.mock import patch

from graph_evaluator.records.json_text import line, pretty
from graph_evaluator.records.response import Cell
from graph_evaluator.records.review import ReviewKey
from graph_evaluator.review import __main__ as command
from graph_evaluator.shell import paths
from tests.builders.graphs import CHAIN, LINKS, edge, node
from tests.builders.scorecards import card
from tests.report.hostile import HOSTILE

MODELS = {
    "secret-model-one": 0.91234,
    "secret-model-two": 0.85123,
    "secret-model-three": 0.60321,
    "secret-model-four": 0.55432,
}
BRIEFS = [f"hidden-brief-{number}" for number in range(8)]
TRICKS = list(HOSTILE.values())


def graph(number):
    """A graph with four factors, two of which have hostile labels."""
    tricks = [TRICKS[(2 * number + place) % len(TRICKS)] for place in (0, 1)]
    more = [
        node("x", label=tricks[0]),
        node("y", label=tricks[1]),
        node("z", label=f"Factor {number}"),
    ]
    return {
        "coaching": {"summary": f"It turns on factor {number}. {tricks[0]}"},
        "nodes": [*CHAIN, *more],
        "edges": [*LINKS, edge("x", "g"), edge("y", "g"), edge("z", "r", -0.5)],
    }


def write_run(folder):
    """Write briefs, responses and scorecards below a folder."""
    cards = []
    for number, brief in enumerate(BRIEFS):
        file = folder / paths.BRIEFS / f"{brief}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        body = f"Which way, number {number}?\n{TRICKS[number]}"
        file.write_bytes(
            f"---\ncomplexity: simple\n---\n{body}\n".encode(errors="replace").replace(b"\r", b"")
        )
        for place, (model, score) in enumerate(MODELS.items()):
            cards.append(card(model, brief, score, fingerprint=f"{place}{number}" * 8))
            response = {"model_id": model, "brief_id": brief, "sample": 1, "status": "success"}
            answer = folder / paths.RESPONSES / paths.response_file(Cell(model, brief, 1))
            answer.parent.mkdir(parents=True, exist_ok=True)
            answer.write_bytes(pretty({**response, "parsed_graph": graph(3 * number + place)}))
    (folder / paths.SCORECARDS).write_bytes(b"".join(line(one.to_json()) for one in cards))


def write_review(*options: str):
    """Run the command in the working directory."""
    with patch("sys.argv", ["review", *options]):
        command.main()


def key_in(folder):
    """The key of the one review below a folder."""
    (file,) = (folder / paths.REVIEWS).glob("*.key.json")
    return ReviewKey.model_validate_json(file.read_bytes())
