"""Holm's correction."""

from hypothesis import given
from hypothesis import strategies as st

from stages.compare.holm import holm

P_VALUES = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=2), st.floats(0, 1), max_size=8)


def test_one_comparison_keeps_its_p() -> None:
    assert holm({"a": 0.03}) == {"a": 0.03}


def test_an_example_by_hand() -> None:
    # In order: 4 x 0.005, 3 x 0.01, 2 x 0.015, 1 x 0.5, none below the one before it.
    assert {name: round(p, 4) for name, p in holm({"a": 0.01, "b": 0.015, "c": 0.005, "d": 0.5}).items()} == {
        "a": 0.03,
        "b": 0.03,
        "c": 0.02,
        "d": 0.5,
    }


@given(P_VALUES)
def test_no_p_falls_and_none_passes_bonferroni_or_one(p_values: dict[str, float]) -> None:
    for name, adjusted in holm(p_values).items():
        assert p_values[name] <= adjusted <= min(1.0, p_values[name] * len(p_values))


@given(P_VALUES)
def test_the_order_stays(p_values: dict[str, float]) -> None:
    adjusted = holm(p_values)
    ordered = sorted(p_values, key=lambda name: p_values[name])
    assert [adjusted[name] for name in ordered] == sorted(adjusted.values())
