from pathlib import Path

import pytest

from stages.report.stored import Results
from stages.shared.records.errors import InputError
from stages.shared.records.json_text import canonical, pretty
from stages.shared.records.response import Cell, Response
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell.paths import response_file
from tests.builders.cases import cases
from tests.builders.responses import response
from tests.builders.scorecards import card, manifest


def store(root: Path, *cards: Scorecard, responses: tuple[Response, ...] = ()) -> Results:
    (root / "results").mkdir()
    lines = b"".join(canonical(one.to_json()) + b"\n" for one in cards)
    (root / "results/scorecards.jsonl").write_bytes(lines)
    (root / "results/run.json").write_bytes(pretty(manifest("a").to_json()))
    for one in responses:
        file = root / "results/responses" / response_file(one.cell)
        file.parent.mkdir(parents=True)
        file.write_bytes(pretty(one.to_json()))
    return Results(root)


def test_scorecards_are_read_one_by_one_and_found_again(tmp_path: Path) -> None:
    cards = [card("a", "b1"), card("a", "b2", 0.25), card("ü", "b1", sample=2)]
    stored = store(tmp_path, *cards)
    assert list(stored.cards()) == cards
    assert [stored.card(one.cell) for one in reversed(cards)] == cards[::-1]


def test_a_cell_is_found_with_its_scorecard_and_response(tmp_path: Path) -> None:
    answer = response(Cell("a", "b1", 1), parsed_graph={"nodes": [1, 2.5]})
    stored = store(tmp_path, card(), responses=(answer,))
    assert len(list(stored.cards())) == 1
    assert stored.find(Cell("a", "b1", 1)) == (card(), answer)


@pytest.mark.parametrize("model", ["gone", "..", "../a", "/etc", "a/b"])
def test_a_response_that_is_not_there_is_none_and_no_id_is_a_path(
    tmp_path: Path, model: str
) -> None:
    assert store(tmp_path).response(Cell(model, "b1", 1)) is None


def test_a_response_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    stored = store(tmp_path, responses=(response(Cell("a", "b1", 1)),))
    (tmp_path / "results/responses/a/b1/response.json").write_text("{")
    assert stored.response(Cell("a", "b1", 1)) is None


@cases(
    "content, message",
    {
        "no file": (None, "results/scorecards.jsonl: there is no such file: dvc repro makes it"),
        "empty": (b"", "results/scorecards.jsonl: holds no scorecard: dvc repro makes it"),
        "no scorecard": (b"{}\n", "line 1.brief_id: is missing; dvc repro -f makes it again"),
        "lone surrogate in a key": (
            b'{"\\ud800": 1}\n',
            "line 1.brief_id: is missing; dvc repro -f makes it again",
        ),
        "cut off": (
            canonical(card().to_json()) + b"\n{",
            "results/scorecards.jsonl: line 2: is not JSON",
        ),
        "twice": (
            (canonical(card().to_json()) + b"\n") * 2,
            "line 2: a, b1, sample 1 has two scorecards",
        ),
    },
)
def test_scorecards_that_cannot_be_used_are_named(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    stored = store(tmp_path)
    file = tmp_path / "results/scorecards.jsonl"
    file.unlink() if content is None else file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(stored.cards())
    assert message in str(caught.value).replace(f"{tmp_path.as_posix()}/", "")
