"""`graph-evaluator review` on files: which pairs are drawn, what is written, and that the page says nothing about whose they are."""

from collections import Counter
from pathlib import Path

import pytest

from graph_evaluator.records.errors import InputError
from graph_evaluator.review.__main__ import draw_pairs
from tests.builders.cases import cases
from tests.builders.scorecards import card
from tests.review.written_review import (
    BRIEFS,
    MODELS,
    key_in,
    write_review,
    write_run,
)


@pytest.fixture(name="project")
def _project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path)
    return tmp_path


def page(folder):
    (file,) = (folder / "reviews").glob("*.html")
    return file.read_text(encoding="utf-8")


def test_a_page_and_a_key_are_written_and_announced(project, capsys):
    write_review("--pairs", "24")
    key = key_in(project)
    assert sorted(file.name for file in (project / "reviews").iterdir()) == [
        f"{key.review}.html",
        f"{key.review}.key.json",
    ]
    assert page(project).count("<article") == 24
    assert "24 pairs on 8 briefs\n" in capsys.readouterr().out


def test_the_page_holds_no_name_no_score_and_nothing_of_the_key(project):
    write_review("--pairs", "24")
    found = page(project)
    scores = [
        shown for score in MODELS.values() for shown in (f"{score:.3f}", f"{score:.2f}", str(score))
    ]
    names = [*MODELS, *BRIEFS, *scores, "fingerprint", "results/"]
    assert [name for name in names if name in found] == []
    fingerprints = [
        shown.fingerprint or ""
        for pair in key_in(project).pairs
        for shown in (pair.left, pair.right)
    ]
    assert [one for one in fingerprints if one in found] == []
    openings = {part.split("<h1")[0] for part in found.split("<article")[1:]}
    assert openings == {f' data-pair="p{number:02}" hidden>\n' for number in range(1, 25)}


def test_equal_results_give_the_same_bytes(project):
    write_review("--pairs", "16")
    before = {file.name: file.read_bytes() for file in (project / "reviews").iterdir()}
    write_review("--pairs", "16")
    assert {file.name: file.read_bytes() for file in (project / "reviews").iterdir()} == before


def refused(*options):
    with pytest.raises(InputError) as caught:
        write_review(*options)
    assert not Path("reviews").exists()
    return str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pairs", "0"), "--pairs: must be 1 to 400, found 0"),
        (("--models", "a", "b", "--baseline", "HEAD"), "not allowed with argument --models"),
    ],
)
def test_wrong_usage_is_one_message_and_writes_nothing(project, capsys, options, message):
    with pytest.raises(SystemExit, match="2"):
        write_review(*options)
    assert message in capsys.readouterr().err
    assert not (project / "reviews").exists()


def test_a_model_that_the_run_does_not_have_is_named(project):
    models = ("secret-model-on", "secret-model-two")
    assert 'did you mean "secret-model-one"' in refused("--models", *models)


def test_an_answer_that_is_not_here_is_named(project):
    for file in (project / "results/responses").rglob("*.json"):
        file.unlink()
    assert "contains no graph that can be read: dvc checkout" in refused()


DRAWN = [f"b{number:02}" for number in range(16)]
SCORES = {"a": 0.9, "b": 0.87, "c": 0.8, "d": 0.8}


def candidate(brief, model, score, side="", fingerprint=None):
    fingerprint = fingerprint or f"{side} {model} {brief}"
    return card(model, brief, score, fingerprint=fingerprint), side


RUN = [candidate(brief, model, score) for brief in DRAWN for model, score in SCORES.items()]


def test_every_brief_has_its_part_each_pair_once_and_equal_scores_are_last():
    pairs = draw_pairs(RUN, 96).pairs
    assert [pair.pair for pair in pairs] == [f"p{number:02}" for number in range(1, 97)]
    for turn in range(0, 96, 16):
        assert {pair.brief_id for pair in pairs[turn : turn + 16]} == {*DRAWN}
    shown = [
        (pair.brief_id, frozenset((pair.left.model_id, pair.right.model_id))) for pair in pairs
    ]
    assert len(set(shown)) == 96
    assert {models for _, models in shown[80:]} == {frozenset("cd")}
    on_the_left = Counter(pair.left.model_id for pair in pairs)
    assert min(on_the_left.values()) > 12


@cases(
    "sides, same_model",
    {"two revisions": (("main", "workspace"), True), "two models": (("a", "c"), False)},
)
def test_a_pair_has_a_graph_of_each_of_two_sides(sides, same_model):
    run = [
        candidate(brief, model, score, side)
        for brief in DRAWN
        for model, score in SCORES.items()
        for side in sides
        if same_model or model == side
    ]
    for pair in draw_pairs(run, 20, sides).pairs:
        assert {pair.left.side, pair.right.side} == {*sides}
        assert (pair.left.model_id == pair.right.model_id) == same_model


def test_the_same_answer_is_never_shown_against_itself():
    run = [candidate("b01", "a", 0.9, side, "same") for side in ("main", "workspace")]
    with pytest.raises(InputError, match="no brief has two different valid graphs"):
        draw_pairs(run, 16, ("main", "workspace"))


def test_an_invalid_graph_is_never_shown():
    invalid = [candidate(brief, "e", None) for brief in DRAWN]
    pairs = draw_pairs(RUN + invalid, 999).pairs
    assert {shown.model_id for pair in pairs for shown in (pair.left, pair.right)} == {*SCORES}
