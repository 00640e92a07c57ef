"""Walks along directed edges, without recursion and linear in nodes + edges."""

from collections.abc import Iterable, Mapping

Neighbours = Mapping[str, list[str]]
"""For each id the ids one step on, once per edge."""


def reach(starts: Iterable[str], neighbours: Neighbours) -> set[str]:
    """The ids that a walk of any length, none included, leads to.

    >>> sorted(reach(["a"], {"a": ["b"], "b": ["a"], "c": ["a"]}))
    ['a', 'b']
    """
    seen = set(starts)
    todo = list(seen)
    while todo:
        for neighbour in neighbours.get(todo.pop(), ()):
            if neighbour not in seen:
                seen.add(neighbour)
                todo.append(neighbour)
    return seen


def find_cycle(successors: Neighbours, predecessors: Neighbours) -> list[str]:
    """The ids along one directed cycle, in walking order, or an empty list when there is none (Kahn, 1962).

    >>> find_cycle({"a": ["b"], "b": ["c"], "c": ["b"]}, {"b": ["a", "c"], "c": ["b"]})
    ['c', 'b']
    """
    waiting = {node: len(sources) for node, sources in predecessors.items()}
    free = [node for node in successors if node not in waiting]
    while free:
        for follower in successors.get(free.pop(), ()):
            waiting[follower] -= 1
            if not waiting[follower]:
                del waiting[follower]
                free.append(follower)
    if not waiting:
        return []
    # Every node that still waits has a predecessor that waits too: walking backwards must come round.
    node = next(iter(waiting))
    walked: dict[str, None] = {}
    while node not in walked:
        walked[node] = None
        node = next(source for source in predecessors[node] if source in waiting)
    backwards = list(walked)
    return backwards[backwards.index(node) :][::-1]
