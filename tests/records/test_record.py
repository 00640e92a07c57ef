"""A key that is added later leaves the hashes of everything that does not use it as they were."""

from pydantic import Field

from graph_evaluator.records.record import Omitted, WrittenRecord
from tests.builders.cases import cases


class Params(WrittenRecord):
    effort: str | None = None
    seed: Omitted[int | None] = Field(None, ge=1)


class Config(WrittenRecord):
    name: str = "m"
    params: Params = Params()
    tag: Omitted[str | None] = Field(None, pattern="^a")


FIRST = {"name": "m", "params": {"effort": None}}


@cases(
    "changed, added",
    {
        "nothing stated": ({}, {}),
        "defaults stated": ({"tag": None, "params": {"seed": None}}, {}),
        "a later key in use": ({"tag": "a"}, {"tag": "a"}),
        "one of an inner record": (
            {"params": {"seed": 7}},
            {"params": {"effort": None, "seed": 7}},
        ),
    },
)
def test_a_later_key_counts_only_with_a_value(changed, added):
    config = Config.model_validate(changed)
    assert config.model_dump(mode="json", by_alias=True) == FIRST | added
