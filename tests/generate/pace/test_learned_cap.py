from stages.generate.pace.learned_cap import LearnedCap


def resumed(*refusals: tuple[float, int, int]) -> LearnedCap:
    cap = LearnedCap()
    for at, out, most in refusals:
        cap.resume(at, out=out, most=most, pause_s=1.0)
    return cap


def test_one_refusal_shows_no_cap() -> None:
    assert resumed((0.0, 5, 5)).at_most is None


def test_two_refusals_at_the_same_number_show_one() -> None:
    assert resumed((0.0, 5, 5), (2.0, 5, 5)).at_most == 5


def test_there_is_none_where_more_had_been_taken_than_at_the_refusal() -> None:
    assert resumed((0.0, 5, 5), (2.0, 5, 9)).at_most is None


def test_there_is_none_where_refusals_come_at_different_numbers() -> None:
    assert resumed((0.0, 9, 9), (2.0, 4, 4)).at_most is None


def test_a_refusal_while_it_is_kept_shows_that_it_was_chance() -> None:
    assert resumed((0.0, 5, 5), (2.0, 5, 5), (3.0, 4, 5), (4.0, 4, 4)).at_most is None


def test_it_is_left_upwards_by_one_for_each_round_of_answers_after_a_while() -> None:
    cap = resumed((0.0, 5, 5), (2.0, 5, 5))
    for _ in range(5):
        cap.answered(3.0)
    assert cap.at_most == 5
    for _ in range(5):
        cap.answered(100.0)
    assert cap.at_most is not None
    assert 5.9 < cap.at_most < 6
