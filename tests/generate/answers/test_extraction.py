"""The JSON in an answer is found as it is, in one fence, or between braces, and anything else is given up on."""

import json

from hypothesis import given
from hypothesis import strategies as st

from stages.generate.answers.extraction import Extraction, extract
from stages.shared.records.json_text import JsonValue
from tests.builders.cases import cases

TEXT = '{"a": [1, "}"]}'
VALUE: JsonValue = {"a": [1, "}"]}
FENCE = "```"
DIRECT = Extraction(VALUE, "direct", False)
UNFENCED = Extraction(VALUE, "stripped_fence", True)
BRACKETED = Extraction(VALUE, "bracketed", True)
NOTHING = Extraction(None, None, True)


@cases(
    "raw, expected",
    {
        "as it is": (TEXT, DIRECT),
        "white space around it": (f"\ufeff\u00a0\n{TEXT}\u2028\t", DIRECT),
        "any JSON value": ("[1]", Extraction([1], "direct", False)),
        "null is nothing to score": ("null", Extraction(None, "direct", False)),
        "a tagged fence": (f"{FENCE}json\n{TEXT}\n{FENCE}", UNFENCED),
        "the tag in any case": (f" {FENCE}JSON\r\n{TEXT}\r\n{FENCE}\n", UNFENCED),
        "a fence without tag or line ends": (f"{FENCE}{TEXT}{FENCE}", UNFENCED),
        "an array in a fence": (
            f"{FENCE}\n[1,\n2]\n{FENCE}",
            Extraction([1, 2], "stripped_fence", True),
        ),
        "another tag": (f"{FENCE}yaml\n{TEXT}\n{FENCE}", BRACKETED),
        "prose before the fence": (f"Here:\n{FENCE}json\n{TEXT}\n{FENCE}", BRACKETED),
        "prose around it": (f"So {TEXT} it is.", BRACKETED),
        "braces before it": (f"{{x}} {TEXT}", NOTHING),
        "two objects": (TEXT + TEXT, NOTHING),
        "cut off": (TEXT[:-1], NOTHING),
        "braces the wrong way round": ("} {", NOTHING),
        "nothing but a fence": ("```", NOTHING),
        "fences that overlap": ("`````", NOTHING),
        "an empty fence": ("``````", NOTHING),
        "nothing": ("", NOTHING),
        "NaN is no JSON": ('{"a": NaN}', NOTHING),
        "prose": ("Sorry.", NOTHING),
    },
)
def test_extraction(raw: str, expected: Extraction) -> None:
    assert extract(raw) == expected


@given(st.text())
def test_any_text_is_searched_without_a_crash(raw: str) -> None:
    found = extract(raw)
    assert (found.method is None) <= (found.parsed is None)


@given(
    st.dictionaries(st.text(), st.integers(-(2**53), 2**53) | st.text()),
    st.sampled_from(["", "json", "Json"]),
)
def test_an_object_comes_out_as_it_went_in(value: dict[str, JsonValue], tag: str) -> None:
    text = json.dumps(value)
    assert extract(text).parsed == value
    assert extract(f"{FENCE}{tag}\n{text}\n{FENCE}") == Extraction(value, "stripped_fence", True)
    assert extract(f"The answer: {text}\nThat is all.").parsed == value
