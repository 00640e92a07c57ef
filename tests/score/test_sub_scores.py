"""Each sub-score: its value, the sentence, and the nodes and edges that cost marks."""

from graph_evaluator.records.brief import Expectations
from graph_evaluator.records.params import ScoringRules
from tests.approval import check_approved
from tests.builders.cases import cases
from tests.score.drafts import (
    changed,
    draft,
    link,
    node,
    scored,
    sets,
    sub_score,
)

EFFECTS = [
    ("fac_price", "out_profit"),
    ("fac_service", "risk_churn"),
    ("fac_rivals", "out_profit"),
    ("out_profit", "goal"),
    ("risk_churn", "goal"),
]


def with_effects(**columns):
    graph = draft()
    for index, (source, target) in enumerate(EFFECTS):
        effect = link(graph, source, target)
        for key, values in columns.items():
            (effect if key == "exists_probability" else effect["strength"])[key] = values[index]
    return graph


def interventions(raising, staying):
    graph = draft()
    node(graph, "opt_raise")["data"] = raising
    node(graph, "opt_stay")["data"] = staying
    return graph


GRAPHS = {
    "means that are one at one decimal": (
        "strength_diversity",
        with_effects(mean=[0.31, -0.34, 0.3, 0.3, 0.3]),
    ),
    "probabilities that are one at one decimal": (
        "exists_prob_diversity",
        with_effects(exists_probability=[0.88, 0.9, 0.92, 0.94, 0.9]),
    ),
    "one std": ("std_variation", with_effects(std=[0.1] * 5)),
    "two of five edges at the default": (
        "default_takeover",
        with_effects(mean=[0.5, -0.5, 0.5, 0.4, 0.3], std=[0.125, 0.125, 0.2, 0.125, 0.1]),
    ),
    "one sum over the bound": ("range_discipline", with_effects(mean=[0.9, 0.3, 0.2, 0.5, 0.4])),
    "the status quo is missing": ("status_quo_present", changed("opt_stay", label="Lower it")),
    "the same interventions at four decimals": (
        "no_identical_interventions",
        interventions(sets(fac_price=0.5, fac_service=1), sets(fac_service=1.0, fac_price=0.50004)),
    ),
    "one sets nothing": ("each_option_sets_factor", interventions(sets(fac_price=1), None)),
    "one has none of its own": (
        "unique_factor_per_option",
        interventions(sets(fac_price=1, fac_service=1), sets(fac_price=0)),
    ),
    "the category is compared exactly": (
        "external_factor_present",
        changed("fac_rivals", category="External"),
    ),
    "coaching": ("coaching_populated", draft()),
    "no threshold": ("goal_threshold", changed("goal", goal_threshold=None)),
    "a generic label": ("factor_label_specificity", changed("fac_price", label=" Market RISK\t")),
    "readable": ("readability_band", draft()),
}


def test_a_sub_score_has_its_value_its_sentence_and_what_it_concerns():
    lines = []
    for case, (name, graph) in GRAPHS.items():
        found = sub_score(scored(graph), name)
        edges = [f"{edge.source} > {edge.target}" for edge in found.edges]
        concerned = [*found.nodes, *edges]
        lines.append(f"{case}: {name} {found.value} {concerned} {found.message}\n")
    check_approved("sub-scores.txt", "".join(lines))


@cases(
    "name, graph, sentence",
    {
        "a status quo": (
            "status_quo_present",
            changed("opt_stay", label="Lower it"),
            "No option is the status quo; the brief expects none.",
        ),
        "a threshold": (
            "goal_threshold",
            changed("goal", goal_threshold=None),
            "The goal has no threshold; the brief names no target.",
        ),
    },
)
def test_what_the_brief_does_not_expect_costs_nothing(name, graph, sentence):
    nothing_expected = Expectations(expect_status_quo=False, has_numeric_target=False)
    found = sub_score(scored(graph, nothing_expected), name)
    assert (found.value, found.message) == (1.0, sentence)


def test_generic_labels_and_the_status_quo_come_from_the_rules():
    rules = ScoringRules(generic_labels=(" Price PER seat ",), status_quo_pattern="raise")
    card = scored(draft(), rules=rules)
    assert sub_score(card, "factor_label_specificity").value == 2 / 3
    assert '"opt_raise"' in sub_score(card, "status_quo_present").message
