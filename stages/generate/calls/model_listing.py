"""What endpoints report about their models, requested in a dry run: costs nothing, and never takes long."""

import asyncio
import datetime
from collections.abc import Iterable, Mapping

from stages.generate.calls.client import EndpointClient
from stages.generate.calls.faults import CallFailed
from stages.generate.plan.endpoint import Endpoint, is_loopback

DEADLINE_S = 5.0
"""The deadline of a listing."""


def shutdown_days(
    endpoints: Iterable[Endpoint], variables: Mapping[str, str]
) -> dict[tuple[Endpoint, str], datetime.date]:
    """The shutdown date of each model, as far as the endpoints report it.

    Endpoints whose key is missing are not asked, and one that fails in any way is left out: a dry run works offline.
    """
    wanted = [endpoint for endpoint in sorted(set(endpoints), key=repr) if _askable(endpoint, variables)]
    return asyncio.run(_all(wanted, variables)) if wanted else {}


def _askable(endpoint: Endpoint, variables: Mapping[str, str]) -> bool:
    if endpoint.provider == "simulated":
        return False
    return bool(variables.get(endpoint.key_env or "")) or is_loopback(endpoint)


async def _all(endpoints: list[Endpoint], variables: Mapping[str, str]) -> dict[tuple[Endpoint, str], datetime.date]:
    found = await asyncio.gather(*(_of(endpoint, variables) for endpoint in endpoints))
    return {key: day for days in found for key, day in days.items()}


async def _of(endpoint: Endpoint, variables: Mapping[str, str]) -> dict[tuple[Endpoint, str], datetime.date]:
    client = EndpointClient(endpoint, variables)
    try:
        page = await client.attempt(client.sdk.models.list, DEADLINE_S)
        days = {model.id: _day(getattr(model, "shutdown_date", None)) for model in page.data}
    except (CallFailed, TypeError, AttributeError):  # the SDK passes on a listing of another shape
        return {}
    finally:
        await client.close()
    return {(endpoint, name): day for name, day in days.items() if day is not None}


def _day(text: object) -> datetime.date | None:
    """A day out of what the listing says: ISO 8601, with or without a time; None for anything else."""
    try:
        return datetime.date.fromisoformat(text[:10]) if isinstance(text, str) else None
    except ValueError:
        return None
