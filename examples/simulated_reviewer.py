"""A simulated reviewer of known taste, to try reviews without people: `python -m examples.simulated_reviewer KEY_FILE NAME`."""

import argparse
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from stages.contracts.json_text import line, parse
from stages.contracts.response import Cell
from stages.contracts.review import KEY_SUFFIX, Choice, PairKey, Review, ReviewKey
from stages.contracts.scorecard import Scorecard
from stages.shell import paths

Taste = Callable[[Cell], float]
"""How much the reviewer likes a graph: the more the higher."""


def answers(
    key: ReviewKey, reviewer: str, taste: Taste, *, care: float = 0.9, sees: float = 0.02
) -> Iterator[Review]:
    """What a reviewer of this taste answers, always the same for the same name.

    Args:
        key: The pairs.
        reviewer: The name.
        taste: What the reviewer likes.
        care: The probability of choosing the graph that is liked more; else the other.
        sees: Smaller differences are no difference.
    """
    random_of = random.Random(f"{key.review} {reviewer}")
    for pair in key.pairs:
        difference = _liked(pair, "right", taste) - _liked(pair, "left", taste)
        better: tuple[Choice, Choice] = ("right", "left") if difference > 0 else ("left", "right")
        choice = "none" if abs(difference) < sees else better[random_of.random() >= care]
        yield Review(review=key.review, reviewer=reviewer, pair=pair.pair, choice=choice)


def _liked(pair: PairKey, side: Literal["left", "right"], taste: Taste) -> float:
    return taste(pair.cell(side)) - (1.0 if pair.damaged == side else 0.0)


def main() -> None:
    """Write the review file beside the key."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.simulated_reviewer", description=__doc__
    )
    parser.add_argument("key", type=Path, help="the key file that stages.review wrote")
    parser.add_argument("name", help="the reviewer's name")
    parser.add_argument(
        "--likes", default="expected_score", help="expected_score or the name of a sub-score"
    )
    parser.add_argument(
        "--care",
        type=float,
        default=0.9,
        help="probability of choosing what is liked; default: 0.9",
    )
    options = parser.parse_args()
    key = ReviewKey.read(parse(options.key.read_bytes()))
    likes: dict[Cell, float] = {}
    for text in paths.SCORECARDS.read_bytes().splitlines():
        card = Scorecard.read(parse(text))
        values = {sub.name: sub.value for group in card.sub_scores.values() for sub in group}
        likes[card.cell] = values.get(options.likes, card.expected_score or 0.0)
    found = answers(key, options.name, likes.__getitem__, care=options.care)
    file = options.key.with_name(
        f"{options.key.name.removesuffix(KEY_SUFFIX)}.{options.name}.jsonl"
    )
    file.write_bytes(b"".join(line(review.to_json()) for review in found))
    print(f"{file}: {len(key.pairs)} answers of a reviewer who likes {options.likes}")


if __name__ == "__main__":
    main()
