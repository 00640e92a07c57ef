"""The status-quo pattern is found anywhere in an option's label, in any case."""

import pytest

from stages.contracts.brief import Expectations
from stages.contracts.graph import DraftGraph, Node
from stages.contracts.params import ScoringRules
from stages.score.sub_scores import MeasuredGraph, status_quo_present
from stages.score.topology import Topology

DEFAULT = ScoringRules().status_quo_pattern


@pytest.mark.parametrize(
    ("pattern", "label", "found"),
    [
        pytest.param(DEFAULT, "Status Quo", True, id="one blank"),
        pytest.param(DEFAULT, "statusquo", True, id="together"),
        pytest.param(DEFAULT, "STATUS_QUO", True, id="an underscore"),
        pytest.param(DEFAULT, "status  quo", False, id="two blanks"),
        pytest.param(DEFAULT, "Do \t nothing", True, id="any white space within do nothing"),
        pytest.param(DEFAULT, "donothing", False, id="do nothing needs white space"),
        pytest.param(DEFAULT, "Housekeeping", True, id="within a word"),
        pytest.param("KEEP", "keep", True, id="a pattern in capitals"),
        pytest.param("[!-_]x", "ax", True, id="a range with capitals in it"),
        pytest.param("as-is", "As-Is", True, id="a hyphen"),
        pytest.param("ſtay", "Stay", True, id="a letter that is the same in another case"),
        pytest.param(r"(k)eep \1", "Keep K", True, id="a reference back"),
        pytest.param("(?x) k e e p", "KEEP", True, id="a flag in the pattern"),
        pytest.param("(?-i:k)eep", "Keep", False, id="a part where case matters"),
        pytest.param("(?-i:K)eep", "Keep", True, id="a capital where case matters"),
        pytest.param("[K-M]eep", "we keep it", True, id="a range of capitals"),
        pytest.param(r"\Aéta", "ÉTAT", True, id="letters with accents"),
        pytest.param(r"\x4b", "k", True, id="a letter by its number"),
        pytest.param("straße", "STRASSE", False, id="one letter is not two"),
        pytest.param("keep", "\u212aeep", True, id="a label that is not ASCII"),
        pytest.param("keep", "Raise", False, id="not found"),
    ],
)
def test_a_pattern_is_looked_for_in_any_case(pattern: str, label: str, found: bool) -> None:
    topology = Topology(DraftGraph(nodes=(Node(id="o", kind="option", label=label),), edges=()))
    rules = ScoringRules(status_quo_pattern=pattern)
    assert status_quo_present(MeasuredGraph(topology, Expectations(), rules)).value == float(found)
