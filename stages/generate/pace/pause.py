"""How long all calls of a key hold still after a refusal."""

import math

from stages.generate.pace.retry import FIRST_WAIT_S

SHORTEST_S = 0.05
"""By then the refusals of what was sent at once have come back."""
STUCK_SHARE = 0.5
"""How long a pause of its own may be, as a share of the time for which everything has been refused."""
OBEYED = 2
"""After so many pauses in a row that the server asked for and that were too short, they are lengthened."""
LEAST_DRAW = 0.2


class Pause:
    """As long as the server asks for; where it asks for nothing, or for too little time and again, a random time.

    That time is at most `FIRST_WAIT_S` or a share of the time for which nothing has passed, so that the end of a long wait is
    found soon after it with few tries. Times in seconds of one clock.
    """

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._in_a_row = 0
        self._row_began = 0.0
        self._over_at = -math.inf

    def after(self, asked_s: float | None, now: float, *, sent_at: float, draw: float) -> float:
        """The seconds to hold still after the refusal of a call that was sent at `sent_at`; `draw` is uniform in [0, 1)."""
        if sent_at > self._over_at + SHORTEST_S:
            self._in_a_row = 0
        self._row_began = self._row_began if self._in_a_row else now
        self._in_a_row += 1
        asked_s = None if asked_s is None else self.at_most(max(asked_s, SHORTEST_S))
        if asked_s is not None and self._in_a_row <= OBEYED:
            return asked_s
        own_s = max(draw, LEAST_DRAW) * max(FIRST_WAIT_S, STUCK_SHARE * (now - self._row_began))
        return max(asked_s or 0.0, self.at_most(own_s))

    def at_most(self, wait_s: float) -> float:
        """No wait is longer than the longest."""
        return min(wait_s, self._longest_s)

    def over(self, now: float, *, admitted_any: bool) -> None:
        """The pause is over; anything that passed before it ends the row of refusals."""
        self._over_at = now
        if admitted_any:
            self._in_a_row = 0
