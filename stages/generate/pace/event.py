"""What happens while calls are made, for whoever wants to show it."""

from typing import Literal

import msgspec

from stages.contracts.response import Status
from stages.generate.call import Call


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened to a call.

    `sent`: it went out. `answered`: its answer is stored (`cost_usd`, None when not known). `retrying`: it failed and waits
    `wait_s` for another try. `failed`: it was given up with `status`. `further`: the answer led to one more draw (a new call).
    """

    kind: Literal["sent", "answered", "retrying", "failed", "further"]
    call: Call
    status: Status | None = None
    code: str = ""
    message: str = ""
    wait_s: float | None = None
    cost_usd: float | None = None
