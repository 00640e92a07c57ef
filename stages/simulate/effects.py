"""The numbers on the causal edges: how large, how uncertain, how likely to exist at all."""

import msgspec

from stages.simulate.character import Character
from stages.simulate.draft import Edge, causal
from stages.simulate.stream import Stream


class Link(msgspec.Struct, frozen=True):
    """A causal edge without its numbers; `sign` is 1 or -1."""

    source: str
    target: str
    sign: int


def estimate(links: list[Link], bounded: frozenset[str], character: Character, stream: Stream) -> list[Edge]:
    """Numbers for every link, in order.

    What enters a node of `bounded` (outcomes, risks, the goal) is shared out of a total of 0.7 to 0.95, so that it stays
    within 1, except where the character overdoes it.
    """
    shares = _shares(links, bounded, character, stream.branch("shares"))
    flat_size = stream.between(0.2, 0.45) if stream.chance(character.few_strengths) else None
    flat_std = round(stream.between(0.08, 0.15), 2) if stream.chance(character.flat_std) else None
    flat_exists = 0.8 if stream.chance(character.flat_exists) else None
    edges: list[Edge] = []
    for index, link in enumerate(links):
        draw = stream.branch(f"edge {index}")
        size = shares[index] if flat_size is None else min(shares[index], round(flat_size, 1))
        std, exists = _basis(draw)
        std = std if flat_std is None else flat_std
        if draw.chance(character.default_share):
            size, std = 0.5, 0.125
        exists = exists if flat_exists is None else flat_exists
        edges.append(causal(link.source, link.target, link.sign * size, std, exists))
    return edges


def _shares(links: list[Link], bounded: frozenset[str], character: Character, stream: Stream) -> list[float]:
    shares = [0.0] * len(links)
    targets = dict.fromkeys(link.target for link in links)
    for target in targets:
        places = [index for index, link in enumerate(links) if link.target == target]
        draws = [stream.between(0.4, 2.2) for _ in places]
        total = stream.between(0.7, 0.95) if target in bounded else stream.between(0.25, 0.6)
        if stream.chance(character.over_range) and target in bounded:
            total = stream.between(1.1, 1.6)
        for place, draw in zip(places, draws, strict=True):
            shares[place] = max(0.05, min(0.95, int(100 * total * draw / sum(draws)) / 100))
    return shares


def _basis(stream: Stream) -> tuple[float, float]:
    """A standard deviation and the probability that goes with it: from a mechanical link to a speculative one."""
    low, high, likely, sure = stream.choice(
        ((0.03, 0.06, 0.95, 0.99), (0.06, 0.10, 0.85, 0.95), (0.10, 0.15, 0.70, 0.85), (0.15, 0.22, 0.50, 0.70))
    )
    std = round(stream.between(low, high), 2)
    return std, round(stream.between(likely, sure), 2)
