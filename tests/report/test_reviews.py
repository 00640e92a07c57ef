"""Review files are read; one clear message for each that cannot be counted."""

from pathlib import Path

import pytest

from stages.report.reviews import read_reviews
from stages.shared.records.commands import ReviewKey
from stages.shared.records.errors import InputError
from stages.shared.records.json_text import line, pretty
from tests.builders.cases import cases
from tests.builders.reviews import key, pair, reviewed

KEY = key(pair("p01", "b1"), pair("p02", "b2"))


def text_of(of: ReviewKey, name: str) -> bytes:
    file = reviewed(of, name, {"p01": "right", "p02": "left"})
    return b"".join(line(one.to_json()) for one in file.answers.values())


@pytest.fixture(name="project")
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a review by ann."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reviews").mkdir()
    (tmp_path / "reviews" / "README.md").write_text("# Reviews", encoding="utf-8")
    (tmp_path / "reviews" / f"{KEY.review}.key.json").write_bytes(pretty(KEY.to_json()))
    (tmp_path / "reviews" / f"{KEY.review}.ann.jsonl").write_bytes(text_of(KEY, "ann"))
    return tmp_path


def test_the_reviews_of_a_folder_are_read_by_name(project: Path) -> None:
    (project / "reviews" / f"{KEY.review}.aad.jsonl").write_bytes(text_of(KEY, "aad"))
    files = read_reviews(Path("reviews"))
    assert [(file.reviewer, file.key) for file in files] == [("aad", KEY), ("ann", KEY)]
    assert [answer.choice for answer in files[1].answers.values()] == ["right", "left"]


def test_a_folder_without_reviews_has_none(project: Path) -> None:
    assert read_reviews(Path("elsewhere")) == []


def problems() -> list[str]:
    with pytest.raises(InputError) as caught:
        read_reviews(Path("reviews"))
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
    assert "was changed after stages.commands.review wrote it" in found


def test_all_faulty_files_are_in_one_message(project: Path) -> None:
    for name in ("x.jsonl", FOREIGN):
        (project / "reviews" / name).write_bytes(b"")
    assert len(problems()) == 2
