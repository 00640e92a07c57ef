"""`results/checks.json`: what each check notices of damaged copies of the run's own graphs."""

from typing import Literal, get_args

from graph_evaluator.records.record import Array, Record

Damage = Literal[
    "labels shuffled", "signs turned", "another brief's graph", "option dropped", "target changed"
]
DAMAGES: tuple[Damage, ...] = get_args(Damage)


class CheckCard(Record):
    """A check: what it asks, whether it is the team's own, and of how many copies with each damage
    it judges worse than of the graph itself.
    """

    name: str
    question: str
    own: bool
    caught: dict[Damage, int]


class BriefCard(Record):
    """How many damaged copies of graphs of a brief were made, and how many any check notices."""

    brief_id: str
    copies: int
    caught: int


class CheckCards(Record):
    """All cards of a run, and how many copies with each damage were made."""

    copies: dict[Damage, int]
    checks: Array[CheckCard]
    briefs: Array[BriefCard]
