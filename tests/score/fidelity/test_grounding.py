"""Labels are compared with the words of the brief, across inflection, script and language, and with
the labels of the prompt's example.
"""

from tests.builders.cases import cases
from tests.score.fidelity.checking import FERRY, LABELS, brief, check, graph


def test_labels_in_the_words_of_the_brief_pass():
    result = check("grounding", graph())
    assert result.outcome == "pass"
    assert (
        result.message == "14 of 17 content words of the labels occur in the brief."
    )  # not "punctual", "satisfied", "crossing"
    assert result.labels == ()


LONG = (
    FERRY
    + " "
    + " ".join(f"{first}{second}lom{first}" for first in "bdgklmnp" for second in "aeiou")
)
"""The ferry's brief with enough different words that both thresholds count in full."""


@cases(
    "known, outcome",
    {
        "1 of 10": (1, "fail"),
        "2 of 10": (2, "warn"),
        "4 of 10": (4, "pass"),
    },
)
def test_the_share_of_known_words_decides(known, outcome):
    words = (
        *("battery", "diesel", "engine", "vessel")[:known],
        *(
            "flimrak",
            "groxel",
            "snavik",
            "pliskor",
            "quorla",
            "trellom",
            "wumbolt",
            "zubrin",
            "dravost",
        ),
    )
    drafted = graph(option=words[:5], factor=words[5:10], outcome=(), goal=())
    result = check("grounding", drafted, brief(LONG))
    assert (result.share, result.outcome) == (known / 10, outcome)


def test_labels_that_name_no_subject_fail():
    labels = (
        ("Option A", "Status quo"),
        ("Cost", "Quality level"),
        ("Revenue growth",),
        ("Success",),
    )
    drafted = graph(**dict(zip(LABELS, labels, strict=True)))
    result = check("grounding", drafted)
    assert result.outcome == "fail"
    assert "generic" in result.message


@cases(
    "body, label",
    {
        "without accents": ("Das Gebäude und die Straße", "STRASSENGEBAEUDE Gebaude"),
        "Arabic broken plural": ("أسعار الكهرباء", "سعر الكهرباء"),
        "Japanese without spaces": ("年間の営業利益と旅館", "旅館の営業"),
        "plural of a short word": ("two bikes", "bike"),
    },
)
def test_a_word_counts_in_any_form(body, label):
    filler = " ".join(f"lorem{letter}psum dolor{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
    about = brief(
        f"{body}. {' '.join(chr(0x4E00 + 7 * n) + chr(0x5E00 + n) for n in range(30))} {filler}"
    )
    drafted = graph(option=(label,), factor=("lorem",), outcome=("dolor",), goal=("lorema",))
    assert label not in check("grounding", drafted, about).labels


def test_another_language_than_the_briefs_is_not_applicable():
    german = graph(
        option=("Fähre mit Akku", "Motor überholen", "Schiff der Nachbarinsel mieten"),
        factor=("Verbrauch pro Jahr", "Nebel und Eis", "Lärm auf dem Oberdeck"),
        outcome=("Anteil der pünktlichen Abfahrten",),
        goal=("Zufriedene Pendler",),
    )
    assert check("grounding", german).outcome == "not_applicable"
    english_for_japanese = check(
        "grounding", graph(), brief("".join(chr(0x4E00 + 7 * n) for n in range(60)))
    )
    assert english_for_japanese.outcome == "not_applicable"


TACOS = """We're running a taco truck and it's busy at lunch but dead after 3. Should we buy a second truck or stay put? My
brother says he'd drive it, but they don't trust him."""


@cases(
    "foreign, expected",
    {"2 of 20": (18, "pass"), "2 of 60": (58, "warn"), "2 of 100": (98, "fail")},
)
def test_less_overlap_is_enough_for_a_short_brief(foreign, expected):
    words = [f"{first}{second}lom{first}" for first in "bcdfghjklmnpqrstvwxz" for second in "aeiou"]
    labels = ("Truck lunch", *words[:foreign])
    result = check("grounding", graph(option=(), factor=labels, outcome=(), goal=()), brief(TACOS))
    assert (result.outcome, result.share) == (expected, 2 / (foreign + 2))


COPIED = {
    "option": ("Mobile repair crew", "Status quo: single workshop"),
    "factor": ("STAFFED REPAIR BAYS", "Storm days per season"),
    "outcome": ("Bikes ready to ride",),
    "goal": ("Bikes",),
}


def test_the_example_returned_unchanged_fails_and_its_labels_are_named():
    result = check("prompt_copy", graph(**COPIED))
    assert (result.outcome, len(result.labels)) == ("fail", 5)


def test_half_of_the_words_changed_in_each_label_is_still_a_copy():
    changed = {"option": ("Roving repair crew", "Status quo: sole workshop"), "factor": ("Manned repair stalls", "Storm periods"),
               "outcome": ("Bikes fit to ride",), "goal": ("Cycles",)}  # fmt: skip
    assert check("prompt_copy", graph(**changed)).outcome == "fail"


def test_a_word_of_the_example_beside_one_of_the_brief_is_no_copy():
    labels = ("Diesel stock per season", "Fog in the crew", "Deck repair", "Spare ferry")
    assert check("prompt_copy", graph(factor=labels)).labels == ()


def test_two_copied_labels_of_eight_warn_and_one_passes():
    labels = ("Litres of diesel", "Winter fog", "Noise on deck")
    assert check("prompt_copy", graph(factor=(*labels, "Staffed repair bays"))).outcome == "pass"
    assert (
        check(
            "prompt_copy", graph(factor=(*labels[:2], "Staffed repair bays", "Mobile repair crew"))
        ).outcome
        == "warn"
    )


def test_a_label_that_the_brief_explains_is_no_copy():
    about = brief(
        f"{FERRY} A mobile repair crew would staff the repair bays on storm days of the season, with bikes ready to ride."
    )
    assert check("prompt_copy", graph(**COPIED), about).outcome == "pass"
