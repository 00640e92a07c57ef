"""How many calls a server takes at once, learned from its refusals."""

HOLD_PAUSES = 20.0
SHORTEST_HOLD_S = 0.5
LONGEST_HOLD_S = 90.0
FORGET_S = 60.0
ALIKE = 0.15


class LearnedCap:
    """Whether a server refuses by how many calls are out, and from how many on.

    Such a server refuses at the same number every time and never takes more; one that refuses by rate does so at any number.
    `at_most` is None until two refusals in a row came at (nearly) the most that had been taken, and that was the same both times. It is
    then held for a multiple of the pause that a refusal costs, doubled each time that it proves right, and left upwards by one
    call for each round of answers. A refusal below it shows that the likeness was chance, and is remembered for `FORGET_S`.

    Times in seconds of one clock.
    """

    def __init__(self) -> None:
        self.at_most: float | None = None
        self._taken: int | None = None
        self._hold_s = 0.0
        self._held_until = 0.0
        self._forget_at = 0.0

    def answered(self, now: float) -> None:
        """A call was answered."""
        if self.at_most is not None and now >= self._held_until:
            self.at_most += 1 / self.at_most

    def resume(self, now: float, *, out: int, most: int, pause_s: float) -> None:
        """Learn from a refusal and the pause after it, which is over.

        Args:
            now: the end of the pause.
            out: how many admitted calls were out when the refused one was sent.
            most: the most that were out at once since the refusal before.
            pause_s: what the refusal cost.
        """
        before, self._taken = self._taken, out
        if self.at_most is not None and (now < self._held_until or before is None or out < before):
            self.at_most = None
            self._forget_at = now + FORGET_S
        elif before and self._alike(before, out, most) and now >= self._forget_at:
            longer_s = max(2 * self._hold_s, HOLD_PAUSES * pause_s, SHORTEST_HOLD_S)
            self._hold_s = min(longer_s, LONGEST_HOLD_S)
            self._held_until = now + self._hold_s
            self._taken = before
            self.at_most = float(before)
        else:
            self.at_most = None

    @staticmethod
    def _alike(before: int, out: int, most: int) -> bool:
        return before - (before > 4) <= out and most <= before * (1 + ALIKE) + (before > 1)
