"""The rules about counts: how many nodes of which kind."""

from collections.abc import Iterator

from stages.contracts.graph import Node
from stages.contracts.scorecard import Finding
from stages.contracts.scoring_rules import Limits
from stages.score.evidence import Witness, counted, listed
from stages.score.topology import Topology


def count_violations(topology: Topology, witness: Witness, limits: Limits) -> Iterator[Finding]:
    """What there is too little or too much of, in the order of the codes."""
    by_kind = topology.by_kind
    for kind, code in (("goal", "MISSING_GOAL"), ("decision", "MISSING_DECISION")):
        nodes = by_kind[kind]
        if len(nodes) != 1:
            found = f"there are {len(nodes)}: {_named(nodes)}" if nodes else "there is none"
            message = f"There must be exactly one {kind}; {found}."
            yield witness.finding(code, message, nodes=(node.id for node in nodes))
    options = by_kind["option"]
    if len(options) < limits.min_options:
        message = f"There {_are(len(options))}; at least {limits.min_options} are needed."
        yield witness.finding("INSUFFICIENT_OPTIONS", message, nodes=(node.id for node in options))
    if len(options) > limits.max_options:
        message = f"There {_are(len(options))}; {limits.max_options} are allowed: {_named(options)}."
        yield witness.finding("TOO_MANY_OPTIONS", message, nodes=(node.id for node in options))
    if not (by_kind["outcome"] or by_kind["risk"]):
        message = "There is no outcome and no risk, so nothing connects what can be done with the goal."
        yield witness.finding("MISSING_BRIDGE", message)


def _are(options: int) -> str:
    return f"{'is' if options == 1 else 'are'} {counted(options, 'option')}"


def _named(nodes: list[Node]) -> str:
    return listed([node.id for node in nodes])
