"""`python -m stages.agree` on files: what it writes, and one clear message for each file that cannot be counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from stages.agree import __main__ as command
from stages.contracts.errors import InputError
from stages.contracts.json_text import line, pretty
from stages.contracts.review import ReviewKey
from tests.agree.records import key, pair, reviewed
from tests.builders.cases import cases
from tests.builders.scorecards import as_json, card

KEY = key(pair("p01", "b1"), pair("p02", "b2"))
CARDS = [
    card(model, brief, score, fingerprint=f"of {model}")
    for brief in ("b1", "b2")
    for model, score in (("low", 0.5), ("high", 0.7))
]


def text_of(of: ReviewKey, name: str) -> bytes:
    file = reviewed(of, name, {"p01": "right", "p02": "left"}, "it has the goal")
    return b"".join(line(one.to_json()) for one in file.answers.values())


@pytest.fixture(name="project")
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with reviews by ann."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reviews").mkdir()
    (tmp_path / "results").mkdir()
    (tmp_path / "reviews" / "README.md").write_text("# Reviews", encoding="utf-8")
    (tmp_path / "reviews" / f"{KEY.review}.key.json").write_bytes(pretty(KEY.to_json()))
    (tmp_path / "reviews" / f"{KEY.review}.ann.jsonl").write_bytes(text_of(KEY, "ann"))
    (tmp_path / "results" / "scorecards.jsonl").write_bytes(
        b"".join(line(as_json(one)) for one in CARDS)
    )
    return tmp_path


def agreement() -> Any:
    command.main([])
    return json.loads(Path("results/agreement.json").read_text(encoding="utf-8"))


def test_the_share_and_its_counts_are_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = agreement()
    assert (found["overall"]["share"], found["overall"]["agreed"], found["overall"]["decided"]) == (
        0.5,
        1,
        2,
    )
    assert [one["name"] for one in found["reviewers"]] == ["ann"]
    assert (
        capsys.readouterr().out
        == "agreement with people: 50% (1/2) of the decided judgements, 1 review\n"
    )


def test_without_reviews_nothing_is_measured_and_no_scorecard_is_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "reviews" / f"{KEY.review}.ann.jsonl").unlink()
    (project / "results" / "scorecards.jsonl").unlink()
    assert agreement()["overall"]["share"] is None
    assert "not measured" in capsys.readouterr().out


def test_reviews_of_graphs_of_another_run_are_reported_as_not_measured(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = [
        as_json(card(model, "b1", 0.5, fingerprint="another answer")) for model in ("low", "high")
    ]
    (project / "results" / "scorecards.jsonl").write_bytes(b"".join(map(line, other)))
    assert agreement()["not_in_run"] == 2
    found = "agreement with people: not measured, 1 review; 2 judgements of graphs that are not in this run"
    assert capsys.readouterr().out.strip() == found


def problems() -> list[str]:
    with pytest.raises(InputError) as caught:
        command.main([])
    assert not Path("results/agreement.json").exists()
    return [str(problem) for problem in caught.value.problems]


ANN = f"{KEY.review}.ann.jsonl"
FOREIGN = f"{'0' * 10}.ann.jsonl"


def changed(old: bytes, new: bytes) -> bytes:
    found = text_of(KEY, "ann")
    assert old in found
    return found.replace(old, new)


@cases(
    "file, content, message",
    {
        "cut off in a line": (ANN, text_of(KEY, "ann")[:-30], "line 2: is not valid JSON"),
        "cut off after a line": (
            ANN,
            text_of(KEY, "ann").splitlines(keepends=True)[0],
            "has 1 of 2 answers",
        ),
        "empty": (ANN, b"", "has 0 of 2 answers"),
        "unknown choice": (ANN, changed(b'"choice":"left"', b'"choice":"up"'), "line 2.choice"),
        "unknown pair": (
            ANN,
            changed(b'"p02"', b'"p09"'),
            "'p09', which this review does not have",
        ),
        "doubled lines": (
            ANN,
            text_of(KEY, "ann") * 2,
            "line 3: answers the pair p01 a second time, after line 1",
        ),
        "copied under another name": (
            f"{KEY.review}.bob.jsonl",
            text_of(KEY, "ann"),
            "line 1: is an answer by 'ann'",
        ),
        "downloaded twice": (
            f"{KEY.review}.ann (1).jsonl",
            text_of(KEY, "ann"),
            "delete it if it is a second download",
        ),
        "of another project": (
            FOREIGN,
            text_of(KEY, "ann"),
            "has no key: 0000000000.key.json must be",
        ),
        "not text": (ANN, b"\xff\xfe", "line 1: is not UTF-8"),
        "something else": ("other.jsonl", b"{}\n", "must have the name of the download"),
    },
)
def test_a_file_that_cannot_be_counted_is_one_clear_message(
    project: Path, file: str, content: bytes, message: str
) -> None:
    (project / "reviews" / file).write_bytes(content)
    (found,) = problems()
    assert found.startswith(f"reviews/{file}: ")
    assert message in found


def test_an_edited_key_is_one_problem_and_its_reviews_are_none(project: Path) -> None:
    file = project / "reviews" / f"{KEY.review}.key.json"
    file.write_bytes(file.read_bytes().replace(b'"high"', b'"tiny"'))
    (found,) = problems()
    assert "was changed after stages.review wrote it" in found


def test_all_faulty_files_are_in_one_message(project: Path) -> None:
    for name in ("x.jsonl", FOREIGN):
        (project / "reviews" / name).write_bytes(b"")
    assert len(problems()) == 2
