"""What a server's `x-ratelimit-*` headers leave to be sent, for one model."""

from stages.generate.caller import Limits

LATER, LATER_S = 1.01, 0.02
"""A reset is taken to come later by so much, for it is rounded, and counted from when the server got the call."""


class Headroom:
    """The newest word of the server, and what has been sent since it was given.

    The word counts from the moment its call was sent, because the server admitted the call then and may have answered long
    after. It binds until its reset, but for `longest_s` at most: whether the server refills steadily or at once, by then all of it
    is back.
    """

    def __init__(self, longest_s: float) -> None:
        self._longest_s = longest_s
        self._requests_sent = 0
        self._tokens_sent = 0
        self._requests_end: tuple[int, float] | None = None
        self._tokens_end: tuple[int, float] | None = None
        self._heard = -1

    def sent(self, tokens: int) -> tuple[int, int]:
        """Count a sending; gives back where it stands: the requests and tokens sent up to and with it."""
        self._requests_sent += 1
        self._tokens_sent += tokens
        return self._requests_sent, self._tokens_sent

    def heard(self, stand: tuple[int, int], limits: Limits, *, sent_at: float) -> None:
        """Take up the headers of the answer to the sending that stood at `stand`, unless a later one has spoken."""
        requests, tokens = stand
        if requests < self._heard:
            return
        self._heard = requests
        if limits.requests_left is not None and limits.requests_reset_s is not None:
            self._requests_end = (
                requests + limits.requests_left,
                sent_at + min(limits.requests_reset_s * LATER + LATER_S, self._longest_s),
            )
        if limits.tokens_left is not None and limits.tokens_reset_s is not None:
            self._tokens_end = (
                tokens + limits.tokens_left,
                sent_at + min(limits.tokens_reset_s * LATER + LATER_S, self._longest_s),
            )

    def delay(self, tokens: int, now: float) -> float:
        """Seconds until one more sending of so many tokens fits, 0 when it fits now."""
        delay = 0.0
        if self._requests_end is not None and self._requests_sent + 1 > self._requests_end[0]:
            delay = max(delay, self._requests_end[1] - now)
        if self._tokens_end is not None and self._tokens_sent + tokens > self._tokens_end[0]:
            delay = max(delay, self._tokens_end[1] - now)
        return delay
