"""How a call goes before there is an answer: what the flaky model and the drills do to it, a pure function of the cell and the attempt."""

from typing import Literal

import msgspec

from stages.simulate.answer import Asked
from stages.simulate.api_error import ApiError
from stages.simulate.stream import Stream

Ending = Literal["answer", "error", "hang", "drop"]


class Conduct(msgspec.Struct, frozen=True, kw_only=True):
    """What to do with a call: answer it after `delay_ms` more than usual, refuse it with `error`, never answer, or hang up."""

    ending: Ending = "answer"
    error: ApiError | None = None
    delay_ms: float = 0.0


def conduct(asked: Asked, attempt: int) -> Conduct:
    """What becomes of the `attempt`-th call (from 1) of one draw.

    The flaky model fails no draw more than twice in a row; which way depends on the input and the draw. A drill fails for ever;
    which way depends on the input alone.
    """
    if asked.model == "sim-flaky":
        return _flaky(asked, attempt)
    if asked.model == "drill-calls":
        return Stream("drill", "calls", asked.input).choice(_DRILLS)
    return _KEYED.get(asked.model, Conduct())


def _error(error: ApiError) -> Conduct:
    return Conduct(ending="error", error=error)


def _limited(*headers: tuple[str, str]) -> ApiError:
    return ApiError(
        status=429,
        message="Rate limit reached for requests per min. Please try again shortly.",
        type="requests",
        code="rate_limit_exceeded",
        headers=headers,
    )


def _broken(*headers: tuple[str, str]) -> ApiError:
    message = "The server had an error while processing your request. Sorry about that!"
    return ApiError(status=500, message=message, type="server_error", headers=headers)


def _overloaded(*headers: tuple[str, str]) -> ApiError:
    message = "The server is currently overloaded with other requests. Sorry about that! You can retry your request."
    return ApiError(status=503, message=message, type="server_error", code="server_overloaded", headers=headers)


_DRILLS: tuple[Conduct, ...] = (
    _error(_limited(("retry-after-ms", "1000"))),
    _error(_broken(("retry-after-ms", "20"))),
    Conduct(ending="hang"),
    Conduct(ending="drop"),
    _error(ApiError(status=400, message="Invalid 'input': the drill rejects it.", code="invalid_value", param="input")),
)
_KEYED: dict[str, Conduct] = {
    "drill-key": _error(ApiError(status=401, message="Incorrect API key provided.", code="invalid_api_key")),
    "drill-quota": _error(
        ApiError(
            status=429,
            message="You exceeded your current quota, please check your plan and billing details.",
            type="insufficient_quota",
            code="insufficient_quota",
        )
    ),
}


def _flaky(asked: Asked, attempt: int) -> Conduct:
    lots = Stream("flaky", asked.input, asked.draw)
    troubles = (0, 0, 1, 1, 2)[lots.below(5)]
    if attempt > troubles:
        return Conduct(delay_ms=lots.between(100, 250)) if lots.chance(0.3) else Conduct()
    trouble = lots.branch(f"attempt {attempt}")
    wait_ms = ("retry-after-ms", str(20 + trouble.below(130)))
    if attempt == 1 and trouble.chance(0.2):
        return _error(_limited(("retry-after", "1")))
    return _error(trouble.choice((_limited(wait_ms), _limited(wait_ms), _broken(wait_ms), _overloaded(wait_ms))))
