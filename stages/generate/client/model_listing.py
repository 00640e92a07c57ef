"""Adapter: what endpoints tell of their models, asked for in a dry run; costs nothing and is never waited for long."""

import asyncio
import datetime
from collections.abc import Iterable, Mapping

from stages.contracts.json_text import JsonValue, NotJson, parse
from stages.generate.call import Endpoint
from stages.generate.plan.endpoint import is_loopback

DEADLINE_S = 5.0
"""An endpoint that has not listed its models by then tells nothing."""


def shutdown_days(
    endpoints: Iterable[Endpoint], variables: Mapping[str, str]
) -> dict[tuple[Endpoint, str], datetime.date]:
    """The day on which each model is switched off, as far as the endpoints say so.

    Endpoints whose key is not there are not asked, and one that fails in any way tells nothing: a dry run works offline.
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
    from stages.generate.client.sdk import fault_of, open_client

    client = open_client(endpoint, variables)
    try:
        async with asyncio.timeout(DEADLINE_S):
            answer = await client.models.with_raw_response.list()
            listing = parse(answer.content)
    except (TimeoutError, NotJson):
        return {}
    except Exception as error:
        if fault_of(error) is None:
            raise
        return {}
    finally:
        await client.close()
    entries = listing.get("data") if isinstance(listing, dict) else None
    days: dict[tuple[Endpoint, str], datetime.date] = {}
    for entry in entries if isinstance(entries, list) else []:
        name, day = (entry.get("id"), _day(entry.get("shutdown_date"))) if isinstance(entry, dict) else (None, None)
        if isinstance(name, str) and day is not None:
            days[endpoint, name] = day
    return days


def _day(told: JsonValue) -> datetime.date | None:
    """A day out of what the listing says: ISO 8601, with or without a time; None for anything else."""
    try:
        return datetime.date.fromisoformat(told[:10]) if isinstance(told, str) else None
    except ValueError:
        return None
