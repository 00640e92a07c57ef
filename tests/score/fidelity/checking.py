"""Small briefs and graphs for the tests of the checks."""

from graph_evaluator.graph.causal_model import CausalModel, Topology
from graph_evaluator.records.brief import Brief, Expectations
from graph_evaluator.records.graph import read
from graph_evaluator.records.params import ScoringRules
from graph_evaluator.score.fidelity.checks import check_graph
from graph_evaluator.score.fidelity.subject import BriefContent, Draft, example_labels

FERRY = """Our ferry carries 2,300 commuters a day across the harbour and burns 1.2 million litres of diesel a year.
The engine has to be replaced. We can order a battery ferry for €4.5m, rebuild the diesel engine for a third of that, or
rent a vessel from the neighbouring island. Punctuality was 88% last winter, because fog and ice delay departures.
Passengers complain about noise on deck and about the price of season tickets."""

PROMPT = """Draft a graph. Never write "label": "cost" or the like.
{"nodes": [{"label": "Mobile repair crew"}, {"label": "Staffed repair bays"}, {"label": "Storm days per season"},
 {"label": "Bikes ready to ride"}, {"label": "Status quo: single workshop"}], "edges": []}"""

LABELS = {
    "option": ("Battery ferry", "Rebuilt diesel engine", "Rented vessel"),
    "factor": ("Litres of diesel", "Winter fog", "Noise on deck"),
    "outcome": ("Punctual departures",),
    "goal": ("Commuters satisfied with the crossing",),
}


def brief(body=FERRY, **expectations):
    return Brief(
        id="ferry", expectations=Expectations.model_validate(expectations), body=body, sha256=""
    )


def graph(**labels):
    """A graph with the ferry's labels, or others of a kind."""
    nodes = [
        {"id": f"{kind}_{index}", "kind": kind, "label": label}
        for kind, texts in (LABELS | labels).items()
        for index, label in enumerate(texts)
    ]
    return {"nodes": nodes, "edges": []}


def with_threshold(raw, unit=None, **other):
    """The ferry's graph with a threshold of the goal."""
    drafted = graph(goal=())
    threshold = {"goal_threshold_raw": raw, "goal_threshold_unit": unit, **other}
    drafted["nodes"].append(
        {"id": "goal", "kind": "goal", "label": "Commuters satisfied", **threshold}
    )
    return drafted


def check(name, drafted, about=None, prompt=PROMPT):
    """The result of one check."""
    about = about or brief()
    results = check_all(drafted, about, prompt)
    return next(result for result in results if result.name == name)


def check_all(drafted, about, prompt):
    """The results of all checks."""
    return checks_against(BriefContent(about), prompt, drafted)


def checks_against(subject, prompt, drafted):
    """The results of all checks against a brief that was read."""
    rules = ScoringRules()
    topology = Topology(read(drafted)[0])
    model = CausalModel(topology, rules.status_quo_pattern)
    draft = Draft(model)
    return check_graph(draft, subject, example_labels(prompt), rules)[0]
