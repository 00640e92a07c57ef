"""Prompt copy: labels of the prompt's example are recognised, its running text is not."""

from tests.score.fidelity.checking import FERRY, brief, check, graph

COPIED = {
    "option": ("Mobile repair crew", "Status quo: single workshop"),
    "factor": ("STAFFED REPAIR BAYS", "Storm days per season"),
    "outcome": ("Bikes ready to ride",),
    "goal": ("Bikes",),
}


def test_the_example_returned_unchanged_fails_and_its_labels_are_named() -> None:
    result = check("prompt_copy", graph(**COPIED))
    assert (result.outcome, len(result.labels)) == ("fail", 5)


def test_half_of_the_words_changed_in_each_label_is_still_a_copy() -> None:
    changed = {"option": ("Roving repair crew", "Status quo: sole workshop"), "factor": ("Manned repair stalls", "Storm periods"),
               "outcome": ("Bikes fit to ride",), "goal": ("Cycles",)}  # fmt: skip
    assert check("prompt_copy", graph(**changed)).outcome == "fail"


def test_two_copied_labels_of_eight_warn_and_one_passes() -> None:
    labels = ("Litres of diesel", "Winter fog", "Noise on deck")
    assert check("prompt_copy", graph(factor=(*labels, "Staffed repair bays"))).outcome == "pass"
    assert (
        check(
            "prompt_copy", graph(factor=(*labels[:2], "Staffed repair bays", "Mobile repair crew"))
        ).outcome
        == "warn"
    )


def test_a_label_that_the_brief_explains_is_no_copy() -> None:
    about = brief(
        f"{FERRY} A mobile repair crew would staff the repair bays on storm days of the season, with bikes ready to ride."
    )
    assert check("prompt_copy", graph(**COPIED), about).outcome == "pass"


def test_running_text_of_the_prompt_is_no_example() -> None:
    prompt = (
        "Labels such as Mobile repair crew, Staffed repair bays and Bikes ready to ride are good."
    )
    assert check("prompt_copy", graph(**COPIED), prompt=prompt).outcome == "not_applicable"
