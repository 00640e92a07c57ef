"""What a run says before it calls anything: the forecast, and what is worth knowing about its models. Adapter: it reads the clock."""

import datetime
from collections.abc import Callable
from types import MappingProxyType

from stages.generate.batch.journal import fingerprints_out
from stages.generate.cost.costing import Costing
from stages.generate.cost.forecast import in_a_batch, total
from stages.generate.cost.forecaster import Forecaster
from stages.generate.ledger.store import Ledger
from stages.generate.plan.needs import Wanted
from stages.generate.plan.overview import SIMULATED, forecast_line
from stages.generate.plan.preparation import Prepared
from stages.generate.plan.retirement import Listed, retirement_notes
from stages.shell import environment


def open_forecaster(prepared: Prepared, ledger: Ledger, costing: Costing) -> tuple[Forecaster, str]:
    """What forecasts and makes the calls of a run, and how it counts tokens, in words."""
    from stages.generate.cost.tokens import token_counter

    count, counted = token_counter()
    return Forecaster(prepared.params.runtime, costing, ledger.output_tokens, count, today=_today()), counted


def announce(
    prepared: Prepared,
    wanted: Wanted,
    forecaster: Forecaster,
    costing: Costing,
    counted: str,
    say: Callable[[str], None],
    *,
    listed: Listed = MappingProxyType({}),
) -> None:
    """Say the forecast and the notes; `listed` tells when models are switched off, where their endpoints say so."""
    batch = prepared.params.runtime.mode == "batch"
    calls = [
        in_a_batch(call) if batch and planned.config.provider != "simulated" else call
        for planned, call in ((planned, forecaster.forecast(planned)) for planned, _ in wanted)
    ]
    known = sum(forecaster.known(planned) for planned, _ in wanted)
    say(forecast_line(total(calls), len(prepared.cells), counted=counted, from_history=known))
    notes = [prepared.redirected, *(costing.deviation(*entry, day=_today()) for entry in prepared.models)]
    notes += [f"models/{config.id}.json: {note}" for config, note in prepared.warnings]
    if any(planned.config.provider == "simulated" for planned, _ in wanted):
        notes.append(SIMULATED)
    notes += [*_retirements(prepared, listed), _out_in_batches(wanted)]
    for note in filter(None, notes):
        say(f"note: {note}")


def _out_in_batches(wanted: Wanted) -> str | None:
    out = fingerprints_out(environment.ledger_folder())
    number = sum(planned.fingerprints[draw - 1] in out for planned, draw in wanted)
    told = "of these calls are out in batches: they are fetched, not sent again (--cancel-batches ends them)"
    return f"{number:,} {told}" if number else None


def _retirements(prepared: Prepared, listed: Listed) -> list[str]:
    from stages.generate.cost.published_prices import published_for

    found = ((config, published_for(config, endpoint)) for config, endpoint in prepared.models)
    outdated = frozenset(config.id for config, prices in found if prices is not None and prices.deprecated)
    return retirement_notes(prepared.models, listed, outdated, today=datetime.date.fromisoformat(_today()))


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()
