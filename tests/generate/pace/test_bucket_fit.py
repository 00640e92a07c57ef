import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.generate.pace.bucket_fit import refill_rate


@given(per_s=st.floats(2, 100), burst=st.integers(2, 20), over=st.floats(1.2, 3.0))
def test_the_rate_of_a_bucket_is_read_from_when_it_refused(per_s: float, burst: int, over: float) -> None:
    admitted = [0.0] * burst
    left, at, sent_at = 0.0, 0.0, 1.0
    while (left := min(float(burst), left + (sent_at - at) * per_s)) >= 1:
        admitted.append(sent_at)
        left, at, sent_at = left - 1, sent_at, sent_at + 1 / (over * per_s)
    read = refill_rate(admitted, burst=burst, burst_at=0.0, refused_at=sent_at, most=1_000.0)
    # A bucket of two or three refuses within a call of its fill, which is much of it; one that ran dry: the least rate that fits.
    assert read == pytest.approx(per_s, rel=0.5 if burst < 4 else 0.3) or read < per_s


def test_a_burst_that_is_no_longer_remembered_is_taken_at_its_word() -> None:
    admitted = [10 + number / 60 for number in range(13)]
    assert 30 < refill_rate(admitted, burst=3.0, burst_at=0.0, refused_at=admitted[-1] + 1 / 60, most=100.0) < 60


def test_no_rate_above_the_highest_is_read() -> None:
    assert refill_rate([0.0, 0.1, 0.2], burst=1.0, burst_at=0.0, refused_at=0.3, most=5.0) <= 5.0
