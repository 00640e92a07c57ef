"""What the earlier stages have stored is read."""

from pathlib import Path

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.records.json_text import line, pretty
from graph_evaluator.records.response import Cell
from graph_evaluator.shell.paths import response_file
from graph_evaluator.shell.results import Results
from tests.builders.cases import cases
from tests.builders.responses import response
from tests.builders.scorecards import card, cells

SCORECARDS = Path("results/scorecards.jsonl")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    SCORECARDS.parent.mkdir()


def store(*cards, answer=None):
    SCORECARDS.write_bytes(b"".join(line(one.to_json()) for one in cards))
    if answer is not None:
        file = "results/responses" / response_file(answer.cell)
        file.parent.mkdir(parents=True)
        file.write_bytes(pretty(answer.to_json()))
    return Results()


def test_scorecards_are_found_again_with_their_responses():
    cards = [card("a", "b1"), card("a", "b2", 0.25), card("ü", "b1", sample=2)]
    answer = response(Cell("a", "b1", 1), parsed_graph={"nodes": [1, 2.5]})
    stored = store(*cards, answer=answer)
    assert stored.cells == cells(*cards)
    assert [stored.read_cell(one.cell) for one in cards] == [
        (cards[0], answer), (cards[1], None), (cards[2], None)
    ]  # fmt: skip


@pytest.mark.parametrize("model", ["a", "gone", "..", "/etc", "a/b"])
def test_a_response_that_cannot_be_read_is_none_and_no_id_is_a_path(model):
    stored = store(card(), answer=response(Cell("a", "b1", 1)))
    Path("results/responses/a/b1/response.json").write_text("{")
    assert stored.response(Cell(model, "b1", 1)) is None


CARD = line(card().to_json())


@cases(
    "content, message",
    {
        "no file": (None, "No such file or directory: dvc repro makes it"),
        "empty": (b"", "has no scorecard: dvc repro makes it"),
        "no scorecard": (b"{}\n", "line 1.brief_id: is missing; dvc repro -f makes it again"),
        "cut off": (CARD + b"{", "line 2: is not JSON"),
        "twice": (CARD * 2, "line 2: a, b1, sample 1 has two scorecards"),
    },
)
def test_scorecards_that_cannot_be_used_are_named(content, message):
    if content is not None:
        SCORECARDS.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Results()
    assert f"{SCORECARDS}: {message}" in str(caught.value)
