"""Review files are read, one clear message for each that cannot be counted; and the line of each reviewer, counted by hand."""

from pathlib import Path

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.records.json_text import line, pretty
from graph_evaluator.records.review import PairKey, Review
from graph_evaluator.report.reviews import ReviewFile, agreement_section, read_reviews
from tests.builders.cases import cases
from tests.builders.reviews import Judged, graph, key, pair, reviewed
from tests.builders.scorecards import card, findings

KEY = key(pair("p01", "b1"), pair("p02", "b2"))
ANN = f"{KEY.review}.ann.jsonl"


def text_of(of, reviewer):
    about = {"review": of.review, "reviewer": reviewer}
    answers = ({"pair": "p01", "choice": "right"}, {"pair": "p02", "choice": "left"})
    return b"".join(line(Review.model_validate(about | one).to_json()) for one in answers)


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    """A folder with a review by ann."""
    monkeypatch.chdir(tmp_path)
    folder = Path("reviews")
    folder.mkdir()
    (folder / "README.md").write_text("# Reviews", encoding="utf-8")
    (folder / f"{KEY.review}.key.json").write_bytes(pretty(KEY.to_json()))
    (folder / ANN).write_bytes(text_of(KEY, "ann"))
    return folder


def test_the_reviews_of_a_folder_are_read_by_name(folder):
    (folder / f"{KEY.review}.aad.jsonl").write_bytes(text_of(KEY, "aad"))
    choices: Judged = {"p01": "right", "p02": "left"}
    assert read_reviews(folder) == [ReviewFile(KEY, name, choices) for name in ("aad", "ann")]
    assert read_reviews(Path("elsewhere")) == []


def problems():
    with pytest.raises(InputError) as caught:
        read_reviews(Path("reviews"))
    return [str(problem) for problem in caught.value.problems]


TEXT = text_of(KEY, "ann")
UNCOUNTED = "must answer each of the 2 pairs of its key once, as"


@cases(
    "file, content, message",
    {
        "cut off in a line": (ANN, TEXT[:-30], "line 2: is not JSON"),
        "unknown choice": (ANN, TEXT.replace(b'"left"', b'"up"'), "line 2.choice"),
        "copied under another name": (f"{KEY.review}.bob.jsonl", TEXT, UNCOUNTED),
        "downloaded twice": (f"{KEY.review}.ann (1).jsonl", TEXT, "the name of the download"),
        "not text": (ANN, b"\xff\xfe", "is not UTF-8"),
    },
)
def test_a_file_that_cannot_be_counted_is_one_clear_message(folder, file, content, message):
    (folder / file).write_bytes(content)
    (found,) = problems()
    assert found.startswith(f"reviews/{file}: ")
    assert message in found


def test_a_key_that_is_missing_or_edited_is_named_with_all_other_faults(folder):
    file = folder / f"{KEY.review}.key.json"
    file.write_bytes(file.read_bytes().replace(b'"high"', b'"tiny"'))
    (folder / f"{'0' * 10}.ann.jsonl").write_bytes(TEXT)
    (folder / "x.jsonl").write_bytes(b"")
    missing, changed, unnamed = problems()
    assert missing == "reviews/0000000000.key.json: there is no such file"
    assert changed.startswith(f"reviews/{KEY.review}.key.json: was changed")
    assert unnamed.startswith("reviews/x.jsonl: must have the name")


THREE = key(pair("p1", "b1"), pair("p2", "b2"), pair("p3", "b3", left="high", right="low"))
FOUND = findings(
    *(
        card(model, brief, score, content=content, fingerprint=f"of {model}")
        for brief in ("b1", "b2", "b3")
        for model, score, content in (("low", 0.5, 0.8), ("high", 0.7, 0.4))
    )
)


def table_of(file, *cards):
    found = findings(*cards) if cards else FOUND
    (table,) = agreement_section([file], found.cells, 0.95).tables
    return table


def shares(judged, *cards):
    row = table_of(reviewed(THREE, "ann", judged), *cards).rows[0]
    return row[1].text, row[3].text


@cases(
    "judged, expected",
    {
        "preferred": ({"p1": "right", "p2": "left", "p3": "left"}, ("67% (2/3)", "33% (1/3)")),
        "no difference": ({"p1": "right", "p2": "none"}, ("100% (1/1)", "0% (0/1)")),
        "never a preference": ({"p1": "none"}, ("—", "—")),
    },
)
def test_score_and_content_agree_where_the_preferred_graph_has_more(judged, expected):
    assert shares(judged) == expected


@cases(
    "other",
    {
        "equal scores": card("low", "b1", 0.7, fingerprint="of low"),
        "no score": card("low", "b1", 0.7, fingerprint="of low", expected_score=None),
        "another answer": card("low", "b1", 0.5, fingerprint="of another"),
    },
)
def test_a_pair_without_two_different_values_of_this_run_is_in_no_share(other):
    high = card("high", "b1", 0.7, fingerprint="of high")
    assert shares({"p1": "right"}, high, other) == ("—", "—")


def test_two_sides_are_counted_whatever_the_run_holds():
    sides = ("main", "workspace")
    pairs = [
        PairKey(pair=name, brief_id="b1", left=graph("m", left), right=graph("m", right))
        for name, left, right in (("p1", *sides), ("p2", *sides[::-1]), ("p3", *sides))
    ]
    file = reviewed(key(*pairs, sides=sides), "ann", {"p1": "right", "p2": "left", "p3": "none"})
    note = "ann preferred main in 0, workspace in 2, neither in 1 of 3 pairs."
    assert table_of(file).notes == (note,)
