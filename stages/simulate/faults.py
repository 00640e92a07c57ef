"""The faults that a simulated model can make in the structure of a graph, and the violations that they bring."""

from collections.abc import Callable
from typing import NamedTuple

from stages.simulate import breaking
from stages.simulate.draft import Draft
from stages.simulate.stream import Stream


class Fault(NamedTuple):
    """A way to break a draft, and the codes that it brings at least."""

    name: str
    codes: tuple[str, ...]
    break_: Callable[[Draft, Stream], Draft]


def break_rules(draft: Draft, count: int, stream: Stream) -> Draft:
    """The draft with `count` faults out of `FAULTS`, no two alike."""
    for fault in stream.shuffled(FAULTS)[:count]:
        draft = fault.break_(draft, stream.branch(fault.name))
    return draft


FAULTS: tuple[Fault, ...] = (
    Fault("dangling", ("INVALID_EDGE_REF",), breaking.dangling),
    Fault("goalless", ("MISSING_GOAL",), breaking.goalless),
    Fault("undecided", ("MISSING_DECISION",), breaking.undecided),
    Fault("lone option", ("INSUFFICIENT_OPTIONS",), breaking.lone_option),
    Fault("sprawl", ("TOO_MANY_OPTIONS", "NODE_LIMIT_EXCEEDED", "EDGE_LIMIT_EXCEEDED"), breaking.sprawl),
    Fault("too many options", ("TOO_MANY_OPTIONS",), breaking.too_many_options),
    Fault("bridgeless", ("MISSING_BRIDGE", "FORBIDDEN_EDGE"), breaking.bridgeless),
    Fault("loop", ("CYCLE_DETECTED",), breaking.loop),
    Fault("shortcut", ("FORBIDDEN_EDGE",), breaking.shortcut),
    Fault("idle lever", ("CONTROLLABLE_NO_OPTION_EDGE", "OUTCOME_UNREACHABLE"), breaking.idle_lever),
    Fault("dead end", ("OPTION_NO_GOAL_PATH",), breaking.dead_end),
    Fault("orphan", ("ORPHAN_NODE",), breaking.orphan),
    Fault("repeated", ("DUPLICATE_NODE_ID",), breaking.repeated),
    Fault("malformed", ("INVALID_SCHEMA",), breaking.malformed),
)
"""Every fault; alone in an otherwise valid draft each brings its codes."""
