"""The recommendations of the real answers that ship: two tries of one model for each of sixteen briefs."""

from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

from graph_evaluator.analysis.choices import OptionReader, agreement_within, summarise_choices
from graph_evaluator.generate.answers import extract
from graph_evaluator.records.json_text import parse
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.records.response import Answer, Cell, Response
from graph_evaluator.records.scorecard import Scorecard
from graph_evaluator.score import Scorer
from graph_evaluator.shell.inputs import load_briefs, load_codebooks


def real_cards() -> list[Scorecard]:
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


def test_two_tries_of_a_real_model_recommend_the_same_option_for_13_of_16_briefs() -> None:
    cards = real_cards()
    by_brief = defaultdict(list)
    for card in cards:
        by_brief[card.brief_id].append(card)
    agreements = {
        brief: agreement_within(OptionReader().read(of_brief))
        for brief, of_brief in by_brief.items()
    }
    changed = [brief for brief, agreement in agreements.items() if agreement.same == 0]
    assert changed == ["04-expansion-sweden", "08-school-meals-council", "10-many-observables"]
    summary = summarise_choices(cards, 0.95)
    assert (summary.same_choice.value, summary.same_choice.n) == (13 / 16, 16)
    assert summary.not_compared == 0
    assert (summary.with_status_quo, summary.status_quo_best, summary.status_quo_last) == (
        28,
        0,
        23,
    )
    certainties = [card.recommendation.certainty for card in cards if card.recommendation]
    assert len(certainties) == 32
    assert 0.62 < median(certainties) < 0.70
