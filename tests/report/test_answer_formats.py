from typing import Any

from stages.report.site.format_rows import format_table

from stages.contracts.model_config import ModelConfig
from stages.report.digest import Digest
from stages.report.summary_formats import formats
from tests.report.records import card, config, digest, unusable


def called(name: str, response_format: str | None, **fields: Any) -> ModelConfig:
    params = {"temperature": 0.0} | ({"response_format": response_format} if response_format else {})
    return config(name, params=params).model_copy(update={"model": "gpt-x"} | fields)


def both(**fields: Any) -> Digest:
    configs = (called("free", None), called("strict", "json_schema", **fields))
    cards = [card("free", "b1", 0.5), unusable("parse_failed", "free", "b2"), card("strict", "b1", 0.6)]
    return digest(*cards, card("strict", "b2", 0.8), configs=configs)


def test_two_configs_that_differ_in_the_format_alone_are_a_pair() -> None:
    (pair,) = both().formats
    assert (pair.freer.model_id, pair.freer_format) == ("free", "text")
    assert (pair.stricter.model_id, pair.stricter_format) == ("strict", "json_schema")


def test_the_gain_is_paired_by_brief() -> None:
    (pair,) = both().formats
    assert (round(pair.difference.mean or 0, 9), pair.difference.n) == (0.45, 2)


def test_configs_that_differ_in_more_are_no_pair() -> None:
    assert both(model="gpt-y").formats == ()
    assert both(params=config("x", params={"temperature": 1.0}).params).formats == ()
    assert both(base_url="http://localhost:1/v1").formats == ()


def test_a_format_that_is_named_text_is_free_text() -> None:
    found = digest(card("a"), card("b"), configs=(called("a", "text"), called("b", None)))
    assert found.formats == ()


def test_every_stricter_format_stands_against_the_freest() -> None:
    names = {"c": "json_object", "b": "json_schema", "a": None}
    configs = tuple(called(name, asked) for name, asked in names.items())
    found = digest(*(card(name) for name in names), configs=configs)
    assert [(pair.freer.model_id, pair.stricter.model_id) for pair in found.formats] == [("a", "c"), ("a", "b")]


def test_the_summary_shows_them_side_by_side() -> None:
    lines = formats(both()).splitlines()
    (free,) = [line for line in lines if "| free " in line]
    (strict,) = [line for line in lines if "| strict " in line]
    assert ("free text" in free, "50% (1/2)" in free) == (True, True)
    assert ("the draft graph's schema" in strict, "100% (2/2)" in strict, "+0.450" in strict) == (True, True, True)


def test_without_a_pair_the_summary_says_nothing_of_it() -> None:
    assert formats(digest(card())) == ""


def test_the_site_shows_them_side_by_side() -> None:
    found = both()
    table = format_table(found.formats, found.leaderboard.rank_by)
    assert [[entry.text for entry in row][:4] for row in table.rows] == [
        ["FREE", "free text", "50% (1/2)", "1"],
        ["STRICT", "the draft graph's schema", "100% (2/2)", "0"],
    ]
    assert [row[6].value for row in table.rows] == [None, found.formats[0].difference.mean]
