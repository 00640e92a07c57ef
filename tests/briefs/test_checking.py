"""What an author sees of the effects that a brief states: aliases, outcomes, unnamed words, probable mistakes, and which briefs
cannot be checked.
"""

from pathlib import Path

import pytest

from graph_evaluator.briefs.__main__ import main
from graph_evaluator.briefs.checking import mistakes_in
from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.records.json_text import pretty
from graph_evaluator.records.response import Cell
from tests.builders.cases import cases
from tests.builders.graphs import edge, node
from tests.builders.responses import response

LONG = """\
We run a small bakery in the harbour street. Every evening a third of the bread is thrown away,
because the old oven takes two hours for one batch and nobody knows in the morning how many people
will come. The queue at noon reaches the door, while the shelves are empty after lunch. A second
oven costs 14,000 euros; the neighbours upstairs fear more noise at night. Our profit was small last
year, and the bank wants a decision before Easter. Should we buy it or stay with what we have?
"""
EFFECTS = """---
options:
  - [oven, bake]
concepts:
  waste: [thrown away, bread, -sold out]
  noise: [noise]
effects:
  - oven lowers waste
  - waste lowers goal
  - noise lowers goal
---
"""


def a_graph():
    """An oven that lowers what is thrown away, which harms the goal."""
    nodes = [
        node("d", "decision", label="Which?"),
        node("o1", "option", label="Buy an oven", data={"interventions": {"f": 1.0}}),
        node("o2", "option", label="Status quo", data={"interventions": {"f": 0.0}}),
        node("f", category="controllable", label="Ovens"),
        node("q", category="observable", label="Queue at noon"),
        node("r", "risk", label="Bread thrown away"),
        node("g", "goal", label="Profit"),
    ]
    links = [edge(*ends) for ends in (("d", "o1"), ("d", "o2"), ("o1", "f"), ("o2", "f"))]
    effects = [edge("f", "r", -0.5), edge("q", "r", 0.2), edge("r", "g", -0.6)]
    return {"nodes": nodes, "edges": links + effects}


def a_response(model, brief):
    """The file of a response with that graph."""
    answered = response(Cell(model, brief, 1), parsed_graph=a_graph())
    return pretty(answered.to_json())


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Two briefs, and two valid graphs of the one that states effects."""
    monkeypatch.chdir(tmp_path)
    Path("params.yaml").write_text("prompt: prompts/p.txt\nmodels: ['*']\nbriefs: ['*']\n")
    for name in ("briefs", "prompts"):
        Path(name).mkdir()
    Path("prompts/p.txt").write_text("Draft a graph.\n")
    Path("briefs/baker.md").write_text(f"{EFFECTS}{LONG}\n")
    Path("briefs/short.md").write_text("---\n---\nStay or go?\n")
    for model in ("a", "b"):
        folder = Path("results/responses", model, "baker")
        folder.mkdir(parents=True)
        (folder / "response.json").write_bytes(a_response(model, "baker"))
    return tmp_path


@pytest.mark.usefixtures("project")
def test_each_alias_has_the_labels_that_it_matches_and_each_effect_its_outcomes(capsys):
    main(["check", "baker", "short"])
    text = " ".join(capsys.readouterr().out.split())
    assert "short: too short to be checked by its words" in text
    assert "short: 0 options, 0 concepts, 0 effects, 0 valid graphs" in text
    for row in (
        "waste thrown away 2 Bread thrown away",
        "waste bread 2 Bread thrown away",
        "waste -sold out 0 matches no label",
        "(an option) oven 2 Buy an oven",
        "(no alias) 4 Ovens, Queue at noon",
        "oven lowers waste 2 0 0",
        "noise lowers goal 0 0 2",
    ):
        assert row in text


@pytest.mark.usefixtures("project")
def test_without_ids_each_brief_has_a_line_and_its_mistakes(capsys):
    main(["check"])
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith(
        "baker: 1 option, 2 concepts, 3 effects, 2 valid graphs, 4 right, 0 wrong, 2 missing short:"
    )


def mistakes(**stated):
    brief = Brief("b", Expectations.model_validate(stated), body=LONG, sha256="")
    return list(mistakes_in(brief))


def test_a_statement_needs_an_effect_on_the_goal_and_uses_its_concepts():
    concepts = {"a": ["x"], "b": ["y"], "c": ["z"]}
    assert mistakes(concepts=concepts, effects=["a raises b"]) == [
        "no effect is on `goal`: state at least one",
        "in no effect: c",
    ]
    assert mistakes(concepts={"a": ["x"]}, effects=["a raises goal"]) == []


@cases(
    "aliases, mistake",
    {
        "the same words, longer": (["return rate", "rate of the return"], 'a: the alias "return rate" never counts: "rate of the return" decides wherever it matches'),
        "equal and the opposite": (["rate", "-rate"], 'a: the alias "rate" never counts: "-rate" decides wherever it matches'),
        "shorter ones count elsewhere": (["rate", "return rate"], None),
    },
)  # fmt: skip
def test_an_alias_that_a_longer_one_always_beats_is_named(aliases, mistake):
    found = mistakes(concepts={"a": aliases}, effects=["a raises goal"])
    assert [text for text in found if "never counts" in text] == ([mistake] if mistake else [])
