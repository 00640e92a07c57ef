"""Files of notes are hostile input: strictly read, every problem named; and the notes are counted by kind and model."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from graph_evaluator.present.page import Frame
from graph_evaluator.records.errors import InputError
from graph_evaluator.report.reviews import notes_section, read_notes
from graph_evaluator.report.site.pages import overview_file
from graph_evaluator.report.texts import summary
from tests.builders.cases import cases
from tests.builders.scorecards import card, findings

NOTE = {
    "model_id": "a",
    "brief_id": "b1",
    "sample": 1,
    "fingerprint": "f1",
    "mark": "bad",
    "kind": "<b>sign",
    "text": "Turned.",
}


def lines(*notes):
    return "".join(json.dumps(NOTE | one) + "\n" for one in notes)


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = Path("reviews")
    folder.mkdir()
    return folder


@cases(
    "file, content, expected",
    {
        "every line": ("ann", lines({"mark": "ugly"}, {}, {"x": 1}, {"text": "x" * 1001}), ["line 1.mark: should be 'good' or 'bad', found 'ugly'", "line 3.x", "line 4.text"]),
        "twice on an answer": ("ann", lines({}, {"mark": "good"}), ["line 2: is a second note on the same answer"]),
        "no JSON": ("ann", "{}x\n[]\n", ["line 1: is not JSON", "line 2"]),
        "empty": ("ann", "", ["line 1: is not JSON"]),
        "a path for a name": ("..", lines({}), ["must have the name notes-NAME.jsonl"]),
        "downloaded twice": ("ann (1)", lines({}), ["must have the name notes-NAME.jsonl"]),
    },
)  # fmt: skip
def test_every_problem_of_a_file_is_named_with_its_line(folder, file, content, expected):
    (folder / f"notes-{file}.jsonl").write_text(content)
    with pytest.raises(InputError) as caught:
        read_notes(folder)
    problems = [str(problem) for problem in caught.value.problems]
    assert len(problems) == len(expected)
    for problem, words in zip(problems, expected, strict=True):
        assert f"reviews/notes-{file}.jsonl: {words}" in problem


def test_notes_on_other_answers_alone_are_counted_in_a_sentence(folder):
    (folder / "notes-ann.jsonl").write_text(lines({}))
    found = findings(card("a", "b1", fingerprint="other"))
    section = notes_section(read_notes(folder), found.cells, found.candidates)
    sentence = "0 notes by ann; 1 more are on answers that this run does not have."
    assert sentence in summary(replace(found, sections=(section,)))


def test_notes_are_counted_by_kind_and_model_where_the_run_has_the_answer(folder):
    (folder / "notes-ann.jsonl").write_text(
        lines({}, {"sample": 2}, {"model_id": "b", "mark": "good", "kind": "", "text": "\u2028x"}, {"fingerprint": "gone"})
    )  # fmt: skip
    (folder / "notes-bob.jsonl").write_text(lines({}))
    found = findings(
        *(card(model, "b1", sample=n, fingerprint="f1") for model in "ab" for n in (1, 2))
    )
    section = notes_section(read_notes(folder), found.cells, found.candidates)
    assert section.texts == [
        "4 notes by ann, bob; 1 more are on answers that this run does not have."
    ]
    (table,) = section.tables
    kinds = [[entry.text for entry in row] for row in table.rows]
    assert kinds == [["bad", "<b>sign", "3", "0"], ["good", "", "0", "1"]]
    page = overview_file(Frame("run", "prompt", "1"), replace(found, sections=(section,)))[
        1
    ].decode()
    assert "&lt;b&gt;sign" in page
