"""What is sent back, under which fingerprint, and the most that it may cost."""

import json
from dataclasses import replace

import pytest

from stages.contracts.codes import VIOLATIONS
from stages.contracts.params import Limits
from stages.contracts.scorecard import EdgeRef, Finding
from stages.generate.answers.draws import Draw
from stages.generate.plan.call import Call
from stages.generate.plan.cells import PlannedCell
from stages.generate.plan.repair import PLACEHOLDER, SENTENCES, SENTENCES_VERSION, RepairRules
from tests.builders.cases import cases
from tests.generate.asking import cells, config
from tests.generate.entries import body, paid

RULES = RepairRules(f"Wrong:\n{PLACEHOLDER}", Limits())


def repairing(rules: RepairRules = RULES) -> PlannedCell:
    return replace(cells(config(params={"max_output_tokens": 1000}))[0], repair=rules)


def draw_of(text: str) -> Draw:
    planned = repairing()
    return planned.read_draw(planned.calls[0], paid(content=body(text)))


def repair_of(text: str, rules: RepairRules = RULES) -> Call:
    call = repairing(rules).repair_call(draw_of(text))
    assert call is not None
    return call


def test_every_violation_code_has_a_sentence_and_nothing_else_has_one() -> None:
    assert list(SENTENCES) == list(VIOLATIONS)


FINDINGS = [
    Finding(code="MISSING_GOAL", message="..."),
    Finding(code="TOO_MANY_OPTIONS", message="...", nodes=("a", 'b "c"')),
    Finding(code="INVALID_SCHEMA", message="$.edges is missing.", path="$.edges"),
    Finding(
        code="FORBIDDEN_EDGE",
        message="...",
        nodes=("f", "g"),
        edges=(EdgeRef(index=0, source="f", target="g"),),
    ),
    Finding(
        code="FORBIDDEN_EDGE",
        message="...",
        nodes=("h", "g"),
        edges=(EdgeRef(index=1, source="h", target="g"),),
    ),
]
MESSAGE = """Wrong:
- There must be exactly one node of kind goal. Nodes of that kind: none.
- There may be at most 6 nodes of kind option. Nodes of that kind: "a", "b \\"c\\"". Merge those that are alike.
- The JSON does not follow the format: $.edges is missing.
- These edges connect kinds of nodes that must not be connected: "f" → "g", "h" → "g". A decision leads only to options, an option only to factors, a factor never to the goal, and no outcome or risk to another one."""


def test_the_message_of_this_version_has_a_sentence_for_each_code() -> None:
    assert SENTENCES_VERSION == 1
    assert RULES.message(FINDINGS) == MESSAGE


def test_braces_in_an_id_and_in_the_template_are_plain_text() -> None:
    rules = RepairRules(f'{{"nodes": []}} {PLACEHOLDER}', Limits())
    message = rules.message([Finding(code="ORPHAN_NODE", message="", nodes=("{places}{x}",))])
    assert message.startswith('{"nodes": []} - ')
    assert '"{places}{x}"' in message


def test_many_places_are_counted() -> None:
    nodes = tuple(f"n{number}" for number in range(100))
    message = RULES.message([Finding(code="ORPHAN_NODE", message="", nodes=nodes)])
    assert '"n19" and 80 more.' in message


def test_the_fingerprint_is_of_the_first_request_the_answer_and_the_message() -> None:
    call = repair_of("{}")
    assert json.loads(call.canonical) == {
        **json.loads(repairing().calls[0].canonical),
        "repair": {
            "answer_sha256": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
            "message": call.turns[2].text,
        },
    }
    assert call.fingerprint == "9a5b7f1af54a88f047ba67f3123149b27e7019b4d45fdb1e6345448dbc9e8c19"
    others = [
        repair_of('{"nodes": []}'),
        repair_of("{}", replace(RULES, template=f"Again: {PLACEHOLDER}")),
        repairing().calls[0],
    ]
    assert call.fingerprint not in {other.fingerprint for other in others}


def test_the_most_that_a_repair_may_cost_includes_the_answer_and_the_message() -> None:
    text = json.dumps({"nodes": [{"id": "x" * 4000}]})
    first, repair = repairing().calls[0], repair_of(text)
    assert first.cost_upper_usd is not None
    assert repair.cost_upper_usd is not None
    sent_back = repair.input_tokens - first.input_tokens
    assert 1000 < sent_back < 2000
    assert repair.cost_upper_usd - first.cost_upper_usd == pytest.approx(sent_back * 2e-6)


@cases(
    "text, codes",
    {
        "an empty object": ("{}", "INVALID_SCHEMA"),
        "an array": ("[1, 2]", "INVALID_SCHEMA"),
        "prose": ("I would rather not.", "NO_GRAPH"),
        "nothing": ("", "NO_GRAPH"),
        "nested too deeply": ("[" * 200 + "]" * 200, "NO_GRAPH"),
    },
)
def test_whatever_a_model_answers_can_be_sent_back(text: str, codes: str) -> None:
    violations = RULES.find_violations(draw_of(text))
    assert codes in {violation.code for violation in violations}
    assert repair_of(text).turns[1].text


def test_a_lone_surrogate_in_an_answer_can_be_sent() -> None:
    call = repair_of('{"nodes": "\ud800"}')
    assert call.turns[1].text.encode("utf-8")
