"""The simulated reviewer has the taste that it was given, and the agreement finds it."""

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from examples import simulated_reviewer
from examples.simulated_reviewer import answers
from stages.agree import __main__ as agree
from stages.agree.agreement import ReviewFile, agreement_of
from stages.contracts.response import Cell
from stages.review.pairs import draw_pairs
from tests.agree.records import scores
from tests.review.test_pairs import BRIEFS, RUN, SCORES
from tests.review.written_review import key_in, write_review, write_run

KEY = draw_pairs(RUN, 40, seed=1)


def taste(cell: Cell) -> float:
    return SCORES[cell.model_id]


def reviewed(name: str, care: float) -> ReviewFile:
    found = {one.pair: one for one in answers(KEY, name, taste, care=care)}
    return ReviewFile(KEY, name, found)


def test_who_likes_what_the_score_likes_agrees_with_it_and_with_themselves() -> None:
    present = scores(BRIEFS, **SCORES)
    fingerprints = {Cell(one.shown.model_id, one.brief_id, 1): one.shown.fingerprint for one in RUN}
    scored = {cell: replace(one, fingerprint=fingerprints[cell]) for cell, one in present.items()}
    found = agreement_of([reviewed("ann", 1.0), reviewed("bob", 1.0)], scored)
    assert found.overall.share == 1.0
    assert found.between.alpha == 1.0
    assert [(one.controls_missed, one.repeated_alike, one.repeats) for one in found.reviewers] == [
        (0, 4, 4),
        (0, 4, 4),
    ]


def test_care_is_the_share_of_choices_that_follow_the_taste() -> None:
    follows = [
        (one.choice == "right") == (taste(pair.cell("right")) > taste(pair.cell("left")))
        for number in range(40)
        for pair, one in zip(KEY.pairs, answers(KEY, f"r{number}", taste, care=0.75), strict=True)
        if pair.kind == "pair" and one.choice != "none"
    ]
    assert sum(follows) / len(follows) == pytest.approx(0.75, abs=0.03)


def test_from_the_command_line_to_the_agreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path)
    write_review("--pairs", "24")
    key = key_in(tmp_path)
    with patch(
        "sys.argv", ["simulated_reviewer", f"reviews/{key.review}.key.json", "ann", "--care", "1"]
    ):
        simulated_reviewer.main()
    agree.main([])
    found = json.loads((tmp_path / "results/agreement.json").read_text(encoding="utf-8"))
    assert found["overall"]["share"] == 1.0
    assert found["reviewers"][0]["name"] == "ann"
