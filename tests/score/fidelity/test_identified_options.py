"""Which stated option of its brief each option of a graph is."""

from graph_evaluator.graph.causal_model import CausalModel, Topology
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.graph import read
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score.fidelity.effects import identify_options
from graph_evaluator.score.fidelity.subject import BriefContent, Draft
from tests.builders.cases import cases
from tests.score.fidelity.checking import brief, graph

OPTIONS = [["battery", "electric"], ["diesel"], ["rent", "vessel"]]


def identified(*labels, codes=None):
    """The stated options of these labels."""
    subject = BriefContent(
        brief(options=OPTIONS), Codebook.model_validate({"options": codes or {}})
    )
    topology = Topology(read(graph(option=labels))[0])
    draft = Draft(CausalModel(topology, ScoringRules().status_quo_pattern))
    names = identify_options(draft, subject)
    return {labels[int(name.removeprefix("option_"))]: alias for name, alias in names.items()}


@cases(
    "labels, codes, expected",
    {
        "by an alias": (("An electric ferry", "Nothing"), {}, {"An electric ferry": "battery"}),
        "by the codebook first": (("Electric ferry",), {"Electric ferry": "vessel"}, {"Electric ferry": "rent"}),
        "none by the codebook": (("Electric ferry",), {"Electric ferry": None}, {}),
        "two options with the same words": (("Battery ferry", "Second battery", "Diesel"), {}, {"Diesel": "diesel"}),
        "several by the words": (("Battery or diesel",), {}, {}),
        "two labels with the same code": (
            ("Small vessel", "Large ship"),
            {"Small vessel": "rent", "Large ship": "vessel"},
            {"Small vessel": "rent", "Large ship": "rent"},
        ),
    },
)  # fmt: skip
def test_an_option_is_the_stated_one_that_its_code_or_its_words_alone_name(labels, codes, expected):
    assert identified(*labels, codes=codes) == expected
