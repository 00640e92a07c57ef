"""Which of the chosen models are about to die, or are dead: told before money goes into results that nobody can repeat."""

import datetime
from collections.abc import Mapping, Sequence

from stages.contracts.model_config import ModelConfig
from stages.generate.call import Endpoint

Listed = Mapping[tuple[Endpoint, str], datetime.date]
"""The day on which a model is switched off, as its endpoint's own listing of models tells it."""


def retirement_notes(
    models: Sequence[tuple[ModelConfig, Endpoint]],
    listed: Listed,
    outdated: frozenset[str],
    *,
    today: datetime.date,
) -> list[str]:
    """What is to be said of models that end: one sentence for each of them, in the order of `models`.

    Args:
        models: The chosen models.
        listed: What the endpoints say.
        outdated: Ids of the configs whose model the list of published prices calls deprecated, without a date.
        today: The day from which "in n days" counts.
    """
    found: list[str] = []
    for config, endpoint in models:
        told = listed.get((endpoint, config.model))
        stated = config.deprecated_on
        file = f"models/{config.id}.json"
        if told is not None or stated is not None:
            day = told or stated or today
            found.append(f"{file}: {_sentence(config.model, day, today)}{_mend(told, stated)}")
        elif config.id in outdated:
            found.append(f"{file}: {config.model} is deprecated by its provider, who gives no date")
    return found


def _sentence(model: str, day: datetime.date, today: datetime.date) -> str:
    left = (day - today).days
    if left <= 0:
        return f"{model} was switched off on {day}: its results can no longer be reproduced"
    return (
        f"{model} is switched off on {day}, in {left:,} day{'' if left == 1 else 's'}; choose another model before then"
    )


def _mend(told: datetime.date | None, stated: datetime.date | None) -> str:
    if told is None or told == stated:
        return ""
    was = f', the config says "{stated}"' if stated else ""
    return f' (the endpoint says so{was}: set "deprecated_on": "{told}" in the config, so that the reports tell it too)'
