"""The fingerprint changes with everything that can alter the answer, and with nothing else."""

import pytest

from graph_evaluator.records.json_text import parse
from tests.generate.asking import cell, cells, config


def fingerprint(of):
    return of.fingerprints[0]


PLAIN = fingerprint(cell(config()))


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"api": "chat_completions"},
        {"base_url": "https://proxy.example/v1"},
        {"params": {"temperature": 0.0}},
        {"params": {"reasoning_effort": "low"}},
        {"params": {"max_output_tokens": 100}},
        {"params": {"service_tier": "flex"}},
        {"params": {"response_format": "json_object"}},
    ],
    ids=str,
)
def test_what_can_alter_the_answer_changes_it(change):
    assert fingerprint(cell(config(**change))) != PLAIN


@pytest.mark.parametrize(
    "change",
    [
        {"display_name": "Other"},
        {"target_mode": "deep"},
        {"api_key_env": "OTHER_KEY"},
        {"timeout_s": 5.0},
        {"pricing": {"input_per_1m": 9.0, "output_per_1m": 9.0, "source": "elsewhere"}},
        {"headers_env": {"X-Title": "TITLE"}},
        {"base_url": "https://api.openai.com/v1/"},
        {"$comment": "a note"},
        {"id": "other"},
    ],
    ids=str,
)
def test_what_cannot_alter_the_answer_does_not_change_it(change):
    assert fingerprint(cell(config(**change))) == PLAIN


def test_prompt_brief_and_draw_change_it():
    others = {
        fingerprint(cell(config(), body="Something else?")),
        cells(config(), round=2)[0].fingerprints[0],
        cells(config(), samples=2)[1].fingerprints[0],
        *cells(config(), unparsed_draws=2)[0].fingerprints,
    }
    assert len(others | {PLAIN}) == 6


def test_it_is_the_same_on_every_machine_and_in_every_version():
    assert PLAIN == "958a397a8e487a2734fd21449a00dc5227e30e60ba3f4788fc7b6a69da8858dd"


def test_only_a_simulated_model_has_the_version_of_the_simulation():
    simulated = parse(cell(config(provider="simulated", model="sim-careful")).calls[0].canonical)
    real = parse(cell(config()).calls[0].canonical)
    assert isinstance(simulated, dict)
    assert isinstance(real, dict)
    assert set(simulated) - set(real) == {"simulation"}
