"""A key that is added later leaves the hashes of everything that does not use it as they were."""

from typing import Annotated

from pydantic import BaseModel, Field

from graph_evaluator.records.record import LATER, hashed_values
from tests.builders.cases import cases


class Params(BaseModel):
    effort: str | None = None
    seed: Annotated[int, LATER] = Field(0, ge=0)


class Config(BaseModel):
    name: str = "m"
    comment: str = Field("", exclude=True)
    params: Params = Params()
    tags: Annotated[tuple[str, ...], LATER] = Field(default_factory=tuple, alias="labels")


FIRST = {"name": "m", "params": {"effort": None}}


@cases(
    "changed, added",
    {
        "nothing stated": ({}, {}),
        "defaults stated": ({"comment": "a note", "labels": (), "params": {"seed": 0}}, {}),
        "a later key in use": ({"labels": ("a",)}, {"labels": ["a"]}),
        "one of an inner record": (
            {"params": {"seed": 7}},
            {"params": {"effort": None, "seed": 7}},
        ),
    },
)
def test_a_later_key_counts_only_beside_its_default(changed, added):
    config = Config.model_validate(changed)
    assert hashed_values(config) == FIRST | added
