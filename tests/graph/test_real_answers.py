"""The recommendations of the real answers that ship: two tries of one model for each of sixteen briefs."""

from collections import Counter
from pathlib import Path

import pytest

from graph_evaluator.analysis.summary import summarise
from graph_evaluator.generate.answers import extract
from graph_evaluator.records.json_text import parse
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.response import Answer, Cell, Response
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks


def real_cards():
    briefs = load_briefs()
    scorer = Scorer(ScoringRules(), briefs, codebooks=load_codebooks(briefs))
    samples: Counter[str] = Counter()
    cards = []
    for line in Path("answers/language-model.jsonl").read_bytes().splitlines():
        recorded = parse(line)
        assert isinstance(recorded, dict)
        brief, text = str(recorded["brief"]), str(recorded["text"])
        samples[brief] += 1
        answer = Answer(status="success", graph=extract(text)[0])
        cell = Cell("language-model", brief, samples[brief])
        cards.append(scorer.score(Response(cell=cell, answer=answer)))
    return cards


def test_two_tries_of_a_real_model_recommend_the_same_option_for_13_of_16_briefs():
    summary = summarise(real_cards())
    changed = [brief for brief, score in summary.briefs.items() if score.same_choice == 0]
    assert changed == ["04-expansion-sweden", "08-school-meals-council", "10-many-observables"]
    assert (summary.same_choice.value, summary.same_choice.n) == (13 / 16, 16)
    assert summary.not_compared == 0
    assert summary.status_quo == {"last": 23, "between": 5}
    assert summary.certainty.n == 32
    assert summary.certainty.value == pytest.approx(0.65, abs=0.01)
