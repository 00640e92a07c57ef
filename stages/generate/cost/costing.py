"""The prices of the models of a run, put to use: what an answer cost, and what a call may cost."""

from collections.abc import Callable

from stages.contracts.model_config import ModelConfig
from stages.generate.answers.draws import Draw
from stages.generate.answers.reading import Reading, Usage, read_answer
from stages.generate.call import Answer, Endpoint
from stages.generate.cost.pricing import Cost, PublishedModel, applying_rates, cost_of, needs_published
from stages.generate.cost.rates import Rates, amount, deviations
from stages.generate.plan.cell_plan import PlannedCell

Published = Callable[[ModelConfig, Endpoint], PublishedModel | None]
"""Finds a model's published prices; asked only where they can make a difference, as looking them up takes time."""


class Costing:
    """Costs by the config's prices first, else by the published ones."""

    def __init__(self, published: Published) -> None:
        self._published = published

    def of_draw(self, planned: PlannedCell, draw: Draw) -> Cost:
        """What a draw of a cell cost."""
        return self._of(planned, draw.reading, day=draw.answer.arrived_at[:10], source=draw.answer.source)

    def of_answer(self, planned: PlannedCell, answer: Answer) -> Cost:
        """What an answer cost, from its body."""
        reading = read_answer(answer.body, planned.config.api)
        return self._of(planned, reading, day=answer.arrived_at[:10], source=answer.source)

    def saved_by_cache(self, planned: PlannedCell, draw: Draw) -> float | None:
        """What reading from the prompt cache saved on a draw, US dollars; None when that is not known."""
        usage = draw.reading.usage
        tier = self._tier(planned, draw.reading, draw.answer.source)
        found = self._rates(planned, day=draw.answer.arrived_at[:10], tier=tier, input_tokens=usage.input or 0)
        if found is None:
            return None
        paid = amount(usage, found)
        full = amount(Usage(input=usage.input, output=usage.output), found)
        return None if paid is None or full is None else full - paid

    def expected_rates(self, planned: PlannedCell, *, day: str, input_tokens: int, batch: bool = False) -> Rates | None:
        """The prices to expect for a call of a cell: in a batch, else in the service tier that it asks for."""
        tier = "batch" if batch else planned.config.params.service_tier
        return self._rates(planned, day=day, tier=tier, input_tokens=input_tokens)

    def deviation(self, config: ModelConfig, endpoint: Endpoint, *, day: str) -> str | None:
        """A warning when a config's price is more than 20 % off the published one; None when it is not, or none is known."""
        if config.pricing is None or config.provider == "simulated":
            return None
        published = self._published(config, endpoint)
        rates = published.rates(day=day, tier=None, input_tokens=0) if published else None
        found = deviations(config.pricing, rates) if rates else []
        if not found or published is None:
            return None
        return (
            f"models/{config.id}.json: pricing is more than 20 % off {published.source}: {', '.join(found)} per million"
        )

    def _of(self, planned: PlannedCell, reading: Reading, *, day: str, source: str) -> Cost:
        tier = self._tier(planned, reading, source)
        published = self._published_if_needed(planned, tier=tier, input_tokens=reading.usage.input)
        return cost_of(reading.usage, planned.config.pricing, published, day=day, tier=tier)

    def _rates(self, planned: PlannedCell, *, day: str, tier: str | None, input_tokens: int) -> Rates | None:
        published = self._published_if_needed(planned, tier=tier, input_tokens=input_tokens)
        found = applying_rates(planned.config.pricing, published, day=day, tier=tier, input_tokens=input_tokens)
        return found[0] if found else None

    def _published_if_needed(
        self, planned: PlannedCell, *, tier: str | None, input_tokens: int | None
    ) -> PublishedModel | None:
        if not needs_published(planned.config.pricing, tier=tier, input_tokens=input_tokens):
            return None
        return self._published(planned.config, planned.request.endpoint)

    @staticmethod
    def _tier(planned: PlannedCell, reading: Reading, source: str) -> str | None:
        return "batch" if source == "batch" else reading.service_tier or planned.config.params.service_tier
