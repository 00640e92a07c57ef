"""The status-quo pattern is found anywhere in an option's label, in any case."""

from stages.score.sub_scores import MeasuredGraph, status_quo_present
from stages.shared.records.brief import Expectations
from stages.shared.records.graph import DraftGraph, Node
from stages.shared.records.params import ScoringRules
from stages.shared.structure.topology import Topology
from tests.builders.cases import cases

DEFAULT = ScoringRules().status_quo_pattern


@cases(
    "pattern, label, found",
    {
        "one blank": (DEFAULT, "Status Quo", True),
        "two blanks": (DEFAULT, "status  quo", False),
        "any white space within do nothing": (DEFAULT, "Do \t nothing", True),
        "do nothing needs white space": (DEFAULT, "donothing", False),
        "within a word": (DEFAULT, "Housekeeping", True),
        "a pattern in capitals": ("KEEP", "keep", True),
        "a part where case matters": ("(?-i:k)eep", "Keep", False),
        "a label that is not ASCII": ("keep", "\u212aeep", True),
        "not found": ("keep", "Raise", False),
    },
)
def test_a_pattern_is_looked_for_in_any_case(pattern: str, label: str, found: bool) -> None:
    topology = Topology(DraftGraph(nodes=(Node(id="o", kind="option", label=label),), edges=()))
    rules = ScoringRules(status_quo_pattern=pattern)
    graph = MeasuredGraph(topology, Expectations(), rules)
    assert status_quo_present(graph)[0] == float(found)
