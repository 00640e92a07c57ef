"""What the reports say of models that are switched off. No clock: dates are compared with those of the answers."""

from collections.abc import Iterable, Mapping

from stages.contracts.model_config import ModelConfig
from stages.report.cells import CellResult
from stages.report.flags import Flag


def retirement_flags(configs: Mapping[str, ModelConfig], cells: Iterable[CellResult]) -> tuple[Flag, ...]:
    """One flag for each model of the cells whose config knows the day on which it is switched off; by model id.

    A model that was off on the day of the newest answer (of any model) is marked: its results can no longer be reproduced.
    """
    shown, newest = _models_and_newest(cells)
    flags = []
    for model_id in sorted(shown):
        day = configs[model_id].deprecated_on if model_id in configs else None
        if day is None:
            continue
        gone = newest is not None and newest >= day.isoformat()
        if gone:
            message = f"{model_id} was switched off on {day}: its results can no longer be reproduced."
        else:
            message = f"{model_id} is switched off on {day}; from then on its results cannot be reproduced."
        flags.append(Flag(kind="retired" if gone else "retiring", model_id=model_id, message=message))
    return tuple(flags)


def _models_and_newest(cells: Iterable[CellResult]) -> tuple[set[str], str | None]:
    models: set[str] = set()
    newest: str | None = None
    for cell in cells:
        models.add(cell.model_id)
        if cell.created_at is not None and (newest is None or cell.created_at[:10] > newest):
            newest = cell.created_at[:10]
    return models, newest
