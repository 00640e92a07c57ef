"""All calls of a run: claims what nobody else is fetching, has it called, keeps every answer, waits for what others fetch."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stages.generate.answers.draws import read_draw
from stages.generate.answers.reading import read_answer
from stages.generate.call import Answer, Call, Failure
from stages.generate.caller import Result, Store
from stages.generate.ledger.row import LedgerRow, row_of
from stages.generate.plan.cell_plan import PlannedCell, by_fingerprint
from stages.generate.plan.needs import AnswerStore, needed

LOOK_AGAIN_S = 0.5
"""Time between two looks at what another run is fetching, seconds."""


class Keeper(AnswerStore, Protocol):
    """The ledger, as far as calling needs it."""

    async def put(self, row: LedgerRow, /) -> None:
        """Return when the answer is on disk."""


class Claimed(Protocol):
    """The claims of this run."""

    def take(self, fingerprints: Sequence[str], /) -> Collection[str]:
        """Claim what nobody else is fetching; returns what is ours."""

    def give_back(self, fingerprints: Sequence[str], /) -> None:
        """Let others try."""


CallOf = Callable[[PlannedCell, int], Call]
"""The call for a draw of a cell."""
RunCalls = Callable[[Sequence[Call], Store], Awaitable[Mapping[str, Result]]]
"""Makes calls and stores what they bring: the runner, with everything that it needs."""


@dataclass(frozen=True)
class Fetched:
    """What came of the calls of this run: the fingerprints that it got an answer to, and why the others have none."""

    answered: frozenset[str] = frozenset()
    failures: Mapping[str, Failure] = field(default_factory=dict)


async def fetch(
    cells: Sequence[PlannedCell],
    *,
    ledger: Keeper,
    claims: Claimed,
    call_of: CallOf,
    run_calls: RunCalls,
    sleep: Callable[[float], Awaitable[None]],
    waiting: Callable[[int], None],
) -> Fetched:
    """Get every answer that the cells still need.

    Args:
        cells: All cells of the run.
        ledger: Where answers are kept.
        claims: What this run may fetch.
        call_of: Makes the call for a draw of a cell.
        run_calls: Makes calls.
        sleep: Waits.
        waiting: Told how many answers another run is fetching, whenever this one begins to wait for it.

    Returns:
        What came of it.
    """
    index = by_fingerprint(cells)
    failures: dict[str, Failure] = {}
    answered: set[str] = set()
    announced = False

    async def store(answer: Answer) -> Call | None:
        planned, number = index[answer.fingerprint]
        api = planned.request.endpoint.api
        usage = read_answer(answer.body, api).usage
        row = row_of(answer, model=planned.request.model, request=planned.canonical[number - 1], usage=usage)
        await ledger.put(row)
        if number == len(planned.fingerprints) or read_draw(answer, planned.config, number).status == "success":
            return None
        following = planned.fingerprints[number]
        return call_of(planned, number + 1) if following in claims.take([following]) else None

    while wanted := needed(cells, ledger, failures):
        keys = [planned.fingerprints[draw - 1] for planned, draw in wanted]
        ours = claims.take(keys)
        calls = [call_of(planned, draw) for (planned, draw), key in zip(wanted, keys, strict=True) if key in ours]
        if not calls:
            if not announced:
                waiting(len(wanted))
                announced = True
            await sleep(LOOK_AGAIN_S)
            continue
        results = await run_calls(calls, store)
        failed = {key: result for key, result in results.items() if isinstance(result, Failure)}
        claims.give_back(list(failed))
        failures |= failed
        answered |= results.keys() - failed.keys()
    return Fetched(frozenset(answered), failures)
