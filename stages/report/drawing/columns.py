"""Columns: which column, counted from the left, every node of a drawing stands in.

The kinds read from left to right: decision, options, factors, outcomes and risks, goal. Factors that act on factors spread
over several columns, so that influence flows to the right wherever it can. A kind that nobody knows stands with the factors.
"""

from collections.abc import Sequence

_GROUP = {"decision": 0, "option": 1, "factor": 2, "outcome": 3, "risk": 3, "goal": 4}
_FACTORS = 2
_GROUPS = 5
MAX_FACTOR_COLUMNS = 4
"""Longer chains of factors share the last of these columns."""


def columns(kinds: Sequence[str | None], links: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """The column of every node, from 0 and without empty columns.

    Args:
        kinds: The kind of every node.
        links: Directed edges as places in `kinds`; cycles are allowed.

    >>> columns(["goal", "factor", "factor", "decision"], [(1, 2), (2, 0)])
    (3, 1, 2, 0)
    """
    groups = [_GROUP.get(kind or "", _FACTORS) for kind in kinds]
    depths = _depths(groups, links)
    places = [(group, depth) for group, depth in zip(groups, depths, strict=True)]
    order = {place: index for index, place in enumerate(sorted(set(places)))}
    return tuple(order[place] for place in places)


def _depths(groups: Sequence[int], links: Sequence[tuple[int, int]]) -> list[int]:
    """How many factors stand in a row before each factor; 0 elsewhere. An edge that closes a cycle is passed over."""
    follows: dict[int, list[int]] = {}
    for source, target in links:
        if source != target and groups[source] == groups[target] == _FACTORS:
            follows.setdefault(source, []).append(target)
    order = _finished(len(groups), follows)
    rank = {node: place for place, node in enumerate(reversed(order))}
    depths = [0] * len(groups)
    for node in reversed(order):
        for target in follows.get(node, ()):
            if rank[target] > rank[node]:
                depths[target] = min(max(depths[target], depths[node] + 1), MAX_FACTOR_COLUMNS - 1)
    return depths


def _finished(count: int, follows: dict[int, list[int]]) -> list[int]:
    """The nodes in the order in which a depth-first walk leaves them; no recursion, so a long chain does no harm."""
    order: list[int] = []
    seen = [False] * count
    for start in range(count):
        if seen[start]:
            continue
        seen[start] = True
        stack = [(start, 0)]
        while stack:
            node, next_child = stack.pop()
            children = follows.get(node, [])
            while next_child < len(children) and seen[children[next_child]]:
                next_child += 1
            if next_child < len(children):
                stack.append((node, next_child + 1))
                child = children[next_child]
                seen[child] = True
                stack.append((child, 0))
            else:
                order.append(node)
    return order
