"""The rate at which a server refills what it admits, read from two refusals."""

from collections.abc import Sequence

HALVINGS = 18
ONE_MORE = 0.9
"""What a refused call would have added to the bucket, less what the bucket had left on average."""


def refill_rate(admitted: Sequence[float], *, burst: float, burst_at: float, refused_at: float, most: float) -> float:
    """Requests per second of the leaky bucket that explains both refusals.

    A bucket that leaks at the rate R, and into which every admitted call pours one unit, refuses a call for which it has no
    room. So at both refusals it was equally full, and R is what makes it so: a higher rate leaves it emptier at the second
    one, as more time had passed. When it ran dry between the two, every rate above some value explains them; the least is
    taken.

    Args:
        admitted: when the calls that were admitted had been sent, rising.
        burst: how many had been admitted in the burst that ended in the first refusal.
        burst_at: the end of that burst.
        refused_at: when the call of the second refusal was sent.
        most: the highest rate to consider, above 0.

    Returns:
        Between 0 and `most`.

    Source: the leaky bucket of the generic cell rate algorithm (ITU-T I.371), solved for its rate.
    """
    low, high = 0.0, most
    for _ in range(HALVINGS):
        rate = (low + high) / 2
        first, second = _fills(admitted, burst, burst_at, refused_at, rate)
        # A rate at which the burst itself would have leaked away explains no refusal.
        low, high = (rate, high) if second + ONE_MORE > first > burst / 2 else (low, rate)
    return high


def _fills(
    admitted: Sequence[float], burst: float, burst_at: float, refused_at: float, rate: float
) -> tuple[float, float]:
    """How full the bucket was after the burst, and before the call that was refused last."""
    fill, at = 0.0, burst_at
    first = burst if not admitted or admitted[0] > burst_at else 0.0
    for sent_at in admitted:
        if sent_at > refused_at:
            break
        fill = max(fill - (sent_at - at) * rate, 0.0) + 1 if fill else 1.0
        at = sent_at
        if sent_at <= burst_at:
            first = fill
    return first, max(fill - (refused_at - at) * rate, 0.0)
