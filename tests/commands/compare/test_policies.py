"""A policy as a side of a comparison: paired by brief with a model, or another policy."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from stages.commands.compare.__main__ import main
from stages.commands.compare.comparison import Comparison
from stages.commands.compare.sides import ComparedSide
from stages.commands.compare.wording import describe
from stages.shared.records.decision import Decision
from stages.shared.records.json_text import pretty
from stages.shared.records.model_config import PolicySteps
from stages.shared.records.response import Measured
from stages.shared.records.scorecard import Scorecard
from tests.builders.policies import policy
from tests.commands.compare.cards import card, compared, manifest, side
from tests.commands.compare.repository import Results

PARAMS = "prompt: prompts/v20.txt\nmodels: ['*']\nbriefs: ['*']\n"
TWICE = policy(("m", 2), policy_id="twice")
FALL_BACK = policy(("m", 1), ("n", 1), policy_id="m-then-n")


def measured(usd: float, seconds: float) -> Measured:
    return Measured(est_cost_usd=usd, latency_ms=1000 * seconds)


def answers(brief: str, score: float) -> list[Scorecard]:
    """Of four answers of model m two fail; n is dearer and slower, and never fails."""
    cheap, dear = measured(0.01, 1), measured(0.06, 9)
    good = [card(score, brief=brief, sample=place, measured=cheap) for place in (1, 2)]
    bad = [
        card(brief=brief, sample=place, codes=("CYCLE",), measured=cheap, fingerprint="f")
        for place in (3, 4)
    ]
    return [*good, *bad, card(score, model="n", brief=brief, measured=dear)]


def run_of(cards: Iterable[Scorecard], **changes: Any) -> ComparedSide:
    return side(cards, run=manifest(**changes))


CARDS = [entry for place in range(1, 9) for entry in answers(f"b{place}", 0.7 + place / 100)]
RUN = run_of(CARDS)


def against_model(of: PolicySteps, model: str = "m", run: ComparedSide = RUN) -> Comparison:
    return compared(run.of_model(model, "pair"), run.of_policy(of, "pair"))


def test_a_policy_is_compared_with_a_model_in_it_on_the_same_briefs() -> None:
    result = against_model(FALL_BACK)
    assert (result.baseline.name, result.candidate.name, result.verdict) == (
        "m",
        "m-then-n",
        "better",
    )
    assert result.overall.judgement.score.difference.n == 8
    assert result.overall.baseline.expected.value == pytest.approx(0.745 / 2)
    assert result.overall.candidate.expected.value == pytest.approx(0.745)


def test_more_samples_are_not_forecast_for_a_policy() -> None:
    run = run_of(
        card(score, model=model, brief=f"b{place}", sample=sample)
        for place, scores in enumerate([(0.5, 0.7), (0.8, 0.5)] * 4)
        for model, score in zip("mn", scores, strict=True)
        for sample in (1, 2)
    )
    sentences = describe(against_model(policy(("n", 1)), run=run)).sentences
    assert "the effect of more samples is unknown" in " ".join(sentences)


def test_a_brief_with_fewer_answers_than_tries_is_left_out_and_named() -> None:
    run = run_of([*CARDS, card(brief="b9")])
    result = against_model(FALL_BACK, run=run)
    assert result.pairing.unpaired == (("pair", "b9"),)
    assert result.overall.judgement.score.difference.n == 8


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Results:
    """A run of two answers to each brief, with a policy that takes both, and one that takes three."""
    stored = Results(tmp_path / "repository")
    thrice = policy(("m", 3), policy_id="thrice")
    decision = Decision(
        run_id="r",
        score="expected_score",
        confidence=0.95,
        min_difference=0.02,
        min_content_difference=0.05,
        modes={},
        policies={of.id: of.written_out for of in (TWICE, thrice)},
    )
    text = pretty(decision.to_json()).decode()
    stored.write(briefs={"params.yaml": PARAMS, "results/decision.json": text})
    cards = [card(sample=sample, brief=f"b{brief}") for brief in range(8) for sample in (1, 2)]
    stored.record(manifest(), cards, tag="run")
    monkeypatch.chdir(stored.folder)
    return stored


@pytest.mark.pipeline
@pytest.mark.parametrize(
    ("head", "said"),
    [
        pytest.param("twice", "twice against m", id="with an estimate"),
        pytest.param("thrice", "the policy thrice has no estimate", id="more tries than answers"),
    ],
)
@pytest.mark.usefixtures("results")
def test_the_command_takes_the_id_of_a_policy(
    head: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["compare", "run", "--models", "m", head])
    main()
    assert said in capsys.readouterr().out
