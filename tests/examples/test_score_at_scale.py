"""Scoring in a cluster gives the bytes that the plain path gives."""

import json
import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from bench.draft_graphs import draft_graph
from examples.score_at_scale import cluster, main, pack, score_lines, score_parts
from stages.contracts.brief import Brief, Expectations, Prompt
from stages.contracts.errors import InputError
from stages.contracts.json_text import JsonValue
from stages.contracts.params import ScoringRules
from stages.contracts.response import Response
from stages.score.batch import score_files
from stages.score.response_files import response_files
from stages.score.scorer import Scorer
from tests.builders.cases import cases
from tests.generate.response_files import write_responses

ANSWERS = 200
PARTS = 4
BRIEFS = [
    Brief(
        id=name,
        body="Which?",
        sha256="",
        expectations=Expectations(has_numeric_target=name == "b0"),
    )
    for name in ("b0", "b1", "b2")
]
SCORER = Scorer(ScoringRules(), BRIEFS)
ODD: tuple[JsonValue, ...] = (
    "no graph",
    {"nodes": "none"},
    {"nodes": [], "edges": []},
    [1, "\u2028 \U0001f600"],
    None,
)


def answers(count: int) -> Iterator[Response]:
    graphs = [draft_graph(6 + seed % 9, seed) for seed in range(120)]
    for number in range(count):
        cell = {"model_id": f"m{number // 100}", "brief_id": f"b{number % 3}", "sample": number + 1}
        if number % 11 == 0:
            yield Response(**cell, status="timeout_failed")  # type: ignore[arg-type]
            continue
        graph = ODD[number % 5] if number % 7 == 0 else graphs[number % len(graphs)]
        yield Response(**cell, status="success", parsed_graph=graph, output_tokens=number)  # type: ignore[arg-type]


def line_of(response: Response) -> bytes:
    return json.dumps(response.to_json(), ensure_ascii=False).encode() + b"\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    source = tmp_path / "answers"
    source.mkdir()
    return source


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "scorecards"


def write_part(source: Path, count: int, more: bytes = b"") -> Path:
    """A part of so many answers."""
    part = source / "part.jsonl"
    part.write_bytes(b"".join(map(line_of, answers(count))) + more)
    return part


@pytest.mark.parametrize("workers", ["processes", "cluster"])
def test_many_answers_score_bit_for_bit_as_one_after_the_other(
    workers: str, source: Path, target: Path
) -> None:
    lines = list(map(line_of, answers(ANSWERS)))
    size = ANSWERS // PARTS
    names = [f"part-{part}.jsonl" for part in range(PARTS)]
    for part, name in enumerate(names):
        (source / name).write_bytes(b"".join(lines[part * size : (part + 1) * size]))
    with cluster("local") if workers == "cluster" else nullcontext("processes") as scheduler:
        assert score_parts(source, target, SCORER, scheduler) == ANSWERS
    scored = b"".join((target / name).read_bytes() for name in names)
    assert scored == b"".join(score_lines(lines, SCORER))
    assert sorted(file.name for file in target.iterdir()) == [*names, "scored_by.txt"]


def test_packed_response_files_score_as_the_stage_scores_them(tmp_path: Path) -> None:
    write_responses(tmp_path / "responses", answers(40))
    plain = score_files(list(response_files(tmp_path / "responses")), SCORER)
    pack(tmp_path / "responses", tmp_path / "answers", per_part=25)
    parts = sorted((tmp_path / "answers").iterdir())
    packed = [answer for part in parts for answer in part.read_bytes().splitlines(keepends=True)]
    assert len(parts) == 2
    assert list(score_lines(packed, SCORER)) == [scored.line for scored in plain]


def test_a_part_that_is_scored_is_scored_again_only_when_its_answers_were_written_later(
    source: Path, target: Path
) -> None:
    part = write_part(source, 3)
    assert score_parts(source, target, SCORER, scheduler="synchronous") == 3
    scored = target / part.name
    scored.write_bytes(b"as it was\n")
    assert score_parts(source, target, SCORER, scheduler="synchronous") == 0
    assert scored.read_bytes() == b"as it was\n"
    write_part(source, 5)
    later = scored.stat().st_mtime_ns + 1
    os.utime(part, ns=(later, later))
    assert score_parts(source, target, SCORER, scheduler="synchronous") == 5
    assert len(scored.read_bytes().splitlines()) == 5


def test_a_broken_line_leaves_no_scored_part_and_is_named(source: Path, target: Path) -> None:
    write_part(source, 2, b"{\n")
    with pytest.raises(InputError, match=r"part\.jsonl line 3"):
        score_parts(source, target, SCORER)
    assert [file.name for file in target.iterdir()] == ["scored_by.txt"]


def test_an_answer_to_an_unknown_brief_is_named() -> None:
    unknown = line_of(Response(model_id="m", brief_id="b7", sample=1, status="timeout_failed"))
    with pytest.raises(InputError, match='answers line 1: brief_id: there is no brief "b7"'):
        list(score_lines([unknown], SCORER))


@cases(
    "other",
    {
        "other rules": Scorer(ScoringRules(generic_labels=("thing",)), BRIEFS),
        "other briefs": Scorer(ScoringRules(), BRIEFS[:1]),
        "another prompt": Scorer(ScoringRules(), BRIEFS, Prompt(path="p", text="x", sha256="y")),
    },
)
def test_scorecards_of_other_rules_briefs_or_prompt_are_not_mixed(
    other: Scorer, source: Path, target: Path
) -> None:
    write_part(source, 1)
    score_parts(source, target, SCORER, scheduler="synchronous")
    with pytest.raises(InputError, match="other rules, briefs or prompt: take another folder"):
        score_parts(source, target, other, scheduler="synchronous")


def test_folders_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    source, file = tmp_path / "answers", tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match=r"has no parts, files named \*\.jsonl"):
        score_parts(tmp_path / "none", tmp_path / "scorecards", SCORER)
    write_responses(tmp_path / "responses", answers(3))
    pack(tmp_path / "responses", source)
    with pytest.raises(InputError, match="answers: must be an empty folder"):
        pack(tmp_path / "responses", source)
    with pytest.raises(InputError, match="none: has no response files"):
        pack(tmp_path / "none", tmp_path / "more")
    for target in (source, file):
        with pytest.raises(InputError, match="must be another folder"):
            score_parts(source, target, SCORER)
    (tmp_path / "scorecards").mkdir()
    (tmp_path / "scorecards/old.jsonl").touch()
    with pytest.raises(InputError, match=r"of answers that are not in .*, old\.jsonl"):
        score_parts(source, tmp_path / "scorecards", SCORER)


def test_an_address_where_no_scheduler_can_be_is_refused() -> None:
    with (
        pytest.raises(InputError, match="--cluster: no scheduler answers at 'here'"),
        cluster("here"),
    ):
        pass


def test_it_explains_itself_at_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["score_at_scale", "--help"])
    with pytest.raises(SystemExit):
        main()
    assert "--pack" in capsys.readouterr().out
