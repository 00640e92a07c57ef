"""What each simulated model promises, over the shipped briefs."""

import json
import re
from collections import Counter
from statistics import mean

import pytest

from stages.contracts.brief import prompt_of
from stages.contracts.codes import VIOLATIONS
from stages.score.fidelity.checker import FidelityChecker
from stages.simulate.characters import CHARACTERS
from stages.simulate.graph_faults import FAULTS
from tests.score.fidelity.checking import checks_by
from tests.simulate.requests import BRIEFS, PROMPT, REPOSITORY, ask, cards, scored, scores

DRAWS = ("1/1/1", "2/1/1", "3/1/1")


def sub_score(model: str, name: str) -> float:
    """The mean of a sub-score over a model's valid graphs."""
    values = [
        entry.value
        for card in cards(model)
        for group in card.sub_scores.values()
        for entry in group
        if entry.name == name
    ]
    return mean(values)


def statuses(model: str) -> Counter[str]:
    return Counter(entry.status for draw in DRAWS for entry in scored(model, draw))


def test_the_careful_model_drafts_valid_graphs_that_score_high_but_not_full() -> None:
    assert all(card.structural_valid for card in cards("sim-careful"))
    assert 0.9 < mean(scores("sim-careful")) < 0.99
    assert max(scores("sim-careful")) - min(scores("sim-careful")) > 0.05


def test_the_model_of_defaults_leaves_every_edge_at_its_default() -> None:
    assert sub_score("sim-defaults", "default_takeover") == 0
    assert sub_score("sim-defaults", "std_variation") == 0


def test_the_forgetful_model_forgets_the_status_quo_and_the_coaching() -> None:
    assert sub_score("sim-forgetful", "status_quo_present") < 0.4
    assert sub_score("sim-forgetful", "coaching_populated") < 0.2
    assert sub_score("sim-forgetful", "no_identical_interventions") < 0.9


def test_the_chatty_model_wraps_its_json_and_sometimes_breaks_it() -> None:
    texts = [entry.answer.text for draw in DRAWS for entry in scored("sim-chatty", draw)]
    assert set(statuses("sim-chatty")) == {"success", "parse_failed"}
    assert mean("```" in text for text in texts) > 0.5
    assert 0 < mean("<think>" in text for text in texts) < 0.5


def test_the_sloppy_model_breaks_every_structural_rule() -> None:
    found = [cards("sim-sloppy", draw) for draw in DRAWS]
    assert {code for group in found for card in group for code in card.violation_codes} == {*FAULTS}


def test_every_violation_of_an_answer_with_a_graph_can_be_caused() -> None:
    assert {*FAULTS, "NO_GRAPH"} == set(VIOLATIONS)


def test_the_deep_model_reasons_at_length_and_is_sometimes_cut_off_or_refuses() -> None:
    assert set(statuses("sim-deep")) == {"success", "truncated", "refused"}
    assert all(entry.answer.reasoning_tokens > 0 for entry in scored("sim-deep"))
    assert mean(scores("sim-deep")) > mean(scores("sim-careful"))


def test_every_sub_score_falls_short_somewhere() -> None:
    lowest: dict[str, float] = {}
    for model in CHARACTERS:
        for card in cards(model):
            for entry in (entry for group in card.sub_scores.values() for entry in group):
                lowest[entry.name] = min(lowest.get(entry.name, 1.0), entry.value)
    assert len(lowest) == 16
    assert [name for name, value in lowest.items() if value == 1.0] == []


def test_the_parrot_returns_the_example_of_the_prompt_for_every_brief() -> None:
    example = re.findall(r"(?s)<example_graph>\n(.*?)\n</example_graph>$", PROMPT, re.MULTILINE)
    assert [entry.graph for entry in scored("sim-parrot")] == [json.loads(example[0])] * len(BRIEFS)


@pytest.mark.parametrize("instructions", ["Draft a graph.", 'Answer with {"nodes": [', '{"nodes"'])
def test_the_parrot_drafts_a_graph_itself_where_the_prompt_has_no_example(
    instructions: str,
) -> None:
    assert "Tea" in ask("sim-parrot", "Tea or coffee?", instructions=instructions).text


def test_the_inventor_calls_numbers_explicit_and_sets_targets_that_no_brief_contains() -> None:
    for brief, entry in zip(BRIEFS.values(), scored("sim-inventor"), strict=True):
        nodes = entry.graph["nodes"]
        numbers = [node["goal_threshold_raw"] for node in nodes if node["kind"] == "goal"]
        numbers += [node["data"]["raw_value"] for node in nodes if node["kind"] == "factor"]
        assert len(numbers) > 2
        assert [number for number in numbers if f"{number:g}" in brief.body] == []


def check_outcomes(model: str) -> list[dict[str, str]]:
    """For each valid graph of a model, the outcomes of the fidelity checks by name."""
    checker = FidelityChecker(prompt_of("p", PROMPT), BRIEFS.values())
    outcomes: list[dict[str, str]] = []
    for brief_id, entry in zip(BRIEFS, scored(model), strict=True):
        if entry.card is not None and entry.card.structural_valid:
            checks = checks_by(checker, entry.graph, brief_id)
            outcomes.append({check.name: check.outcome for check in checks})
    return outcomes


@pytest.mark.parametrize("model", sorted(set(CHARACTERS) - {"sim-parrot", "sim-inventor"}))
def test_words_numbers_and_targets_of_the_other_models_are_those_of_the_briefs(model: str) -> None:
    names = ("grounding", "prompt_copy", "target", "numbers", "result_signs")
    found = {outcomes[name] for outcomes in check_outcomes(model) for name in names}
    assert found <= {"pass", "not_applicable"}


@pytest.mark.parametrize(
    ("model", "check"), [("sim-parrot", "prompt_copy"), ("sim-inventor", "target")]
)
def test_the_parrot_and_the_inventor_fail_the_fidelity_checks(model: str, check: str) -> None:
    assert {outcomes[check] for outcomes in check_outcomes(model)} == {"fail"}


def test_every_target_mode_has_a_simulated_candidate() -> None:
    configs = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in (REPOSITORY / "models").glob("sim-*.json")
    ]
    assert {config["model"] for config in configs} == set(CHARACTERS)
    assert {config["target_mode"] for config in configs} == {"fast", "normal", "deep"}
