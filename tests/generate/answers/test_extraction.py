"""The JSON in an answer is found as it is, in one fence, or between braces, and anything else is given up on."""

import json

from hypothesis import given
from hypothesis import strategies as st

from stages.contracts.json_text import JsonValue
from stages.generate.answers.extraction import Extraction, extract
from tests.builders.cases import cases

TEXT = '{"a": [1, "}"]}'
VALUE: JsonValue = {"a": [1, "}"]}
FENCE = "```"


@cases(
    "raw, expected",
    {
        "as it is": (TEXT, Extraction(VALUE, "direct", False)),
        "white space around it": (
            f"\ufeff\u00a0\n{TEXT}\u2028\t",
            Extraction(VALUE, "direct", False),
        ),
        "any JSON value": ("[1]", Extraction([1], "direct", False)),
        "null is nothing to score": ("null", Extraction(None, "direct", False)),
        "a tagged fence": (
            f"{FENCE}json\n{TEXT}\n{FENCE}",
            Extraction(VALUE, "stripped_fence", True),
        ),
        "the tag in any case": (
            f" {FENCE}JSON\r\n{TEXT}\r\n{FENCE}\n",
            Extraction(VALUE, "stripped_fence", True),
        ),
        "a fence without tag or line ends": (
            f"{FENCE}{TEXT}{FENCE}",
            Extraction(VALUE, "stripped_fence", True),
        ),
        "an array in a fence": (
            f"{FENCE}\n[1,\n2]\n{FENCE}",
            Extraction([1, 2], "stripped_fence", True),
        ),
        "another tag": (f"{FENCE}yaml\n{TEXT}\n{FENCE}", Extraction(VALUE, "bracketed", True)),
        "prose before the fence": (
            f"Here:\n{FENCE}json\n{TEXT}\n{FENCE}",
            Extraction(VALUE, "bracketed", True),
        ),
        "prose around it": (f"So {TEXT} it is.", Extraction(VALUE, "bracketed", True)),
        "braces before it": (f"{{x}} {TEXT}", Extraction(None, None, True)),
        "two objects": (TEXT + TEXT, Extraction(None, None, True)),
        "cut off": (TEXT[:-1], Extraction(None, None, True)),
        "braces the wrong way round": ("} {", Extraction(None, None, True)),
        "nothing but a fence": ("```", Extraction(None, None, True)),
        "fences that overlap": ("`````", Extraction(None, None, True)),
        "an empty fence": ("``````", Extraction(None, None, True)),
        "nothing": ("", Extraction(None, None, True)),
        "NaN is no JSON": ('{"a": NaN}', Extraction(None, None, True)),
        "prose": ("Sorry.", Extraction(None, None, True)),
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
