import math
from typing import Any

import pandas as pd
import pytest

from stages.contracts.model_config import ModelConfig
from stages.contracts.scorecard import Scorecard
from stages.report.formats import format_rows
from tests.builders.scorecards import card, config, findings, row, unusable


def called(name: str, response_format: str | None, **fields: Any) -> ModelConfig:
    params = {"temperature": 0.0} | (
        {"response_format": response_format} if response_format else {}
    )
    return config(name, params=params).model_copy(update={"model": "gpt-x"} | fields)


def formats(*cards: Scorecard, configs: tuple[ModelConfig, ...]) -> pd.DataFrame:
    found = findings(*cards, configs=configs)
    return format_rows(found.cells, found.models, found.configs, "expected_score", 0.95)


def both(**fields: Any) -> pd.DataFrame:
    configs = (called("free", None), called("strict", "json_schema", **fields))
    cards = [
        card("free", "b1", 0.5),
        unusable("parse_failed", "free", "b2"),
        card("strict", "b1", 0.6),
    ]
    return formats(*cards, card("strict", "b2", 0.8), configs=configs)


def test_two_configs_that_differ_only_in_the_format_are_shown_together() -> None:
    found = both()
    assert list(zip(found["model_id"], found["asked"], found["usable"], strict=True)) == [
        ("free", "free text", 1),
        ("strict", "the draft graph's schema", 2),
    ]


def test_the_gain_is_paired_by_brief() -> None:
    free, strict = (row(both(), place) for place in (0, 1))
    assert math.isnan(free.gain)
    assert strict.gain == pytest.approx(0.45)
    assert strict.gain_low < 0.45 < strict.gain_high


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "gpt-y"},
        {"params": config("x", params={"temperature": 1.0}).params},
        {"base_url": "http://localhost:1/v1"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_configs_that_differ_in_more_are_not_compared(fields: dict[str, Any]) -> None:
    assert both(**fields).empty


def test_the_format_text_is_free_text() -> None:
    configs = (called("a", "text"), called("b", None))
    assert formats(card("a"), card("b"), configs=configs).empty


def test_every_stricter_format_is_compared_with_the_freest() -> None:
    names = {"c": "json_object", "b": "json_schema", "a": None}
    configs = tuple(called(name, asked) for name, asked in names.items())
    found = formats(*(card(name) for name in names), configs=configs)
    assert found["model_id"].tolist() == ["a", "c", "b"]
