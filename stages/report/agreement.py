"""How often each reviewer prefers the graph with the higher score, and the one with more content
right, in the cells of the run. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.shared.analysis.interval import ROUNDING, share_interval
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.table import Column, Entry, Raw, Section, make_table
from stages.shared.records.commands import PairKey, Review, ReviewKey
from stages.shared.records.response import Cell
from stages.shared.shell import numbers as show

TITLE = "How often people agree with the score"
EXPLAINED = (
    "People saw two graphs of one brief, without names or scores, and said which they would "
    "rather work with. Counted are the pairs in which the reviewer preferred a graph and the two "
    "values differ: in how many of them the preferred graph has the higher score, or more of the "
    "stated effects right. Chance gives half."
)


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """One review file: the pairs, who judged them, and the answer to each by the pair's name."""

    key: ReviewKey
    reviewer: str
    answers: Mapping[str, Review]

    def pairs(self) -> Iterator[tuple[PairKey, Review]]:
        """The pairs, with their answers."""
        return ((pair, self.answers[pair.pair]) for pair in self.key.pairs)


@dataclass(frozen=True, slots=True)
class Preference:
    """The cell whose graph a reviewer preferred, and the cell of the other graph of the pair."""

    preferred: ScoredCell
    other: ScoredCell


def agreement_section(
    files: Sequence[ReviewFile], cells: Iterable[ScoredCell], confidence: float
) -> Section:
    """A line for each review file, against the cells, with intervals at `confidence`; two sides of
    a review (models or runs) are counted in a note.
    """
    interval = Column(f"{show.share(confidence)} interval", show.share_interval)
    columns = (
        Column("Reviewer"),
        Column("Score agrees", show.share),
        interval,
        Column("Content agrees", show.share),
        interval,
        Column("No difference", show.count, hint="The reviewer saw no difference"),
        Column("Not in this run", show.count, hint="Pairs with a graph that the run has no more"),
        Column("Pairs", code=True),
    )
    present = {cell.cell: cell for cell in cells}
    rows = [_reviewer_row(file, present, confidence) for file in files]
    notes = [_sides_note(file) for file in files if file.key.sides]
    table = make_table(columns, rows, title="Reviewers", name="reviewers", notes=notes)
    return Section("agreement", TITLE, [EXPLAINED], [table])


def _reviewer_row(
    file: ReviewFile, present: Mapping[Cell, ScoredCell], confidence: float
) -> list[Raw]:
    pairs = list(file.pairs())
    in_run = [(pair, review) for pair, review in pairs if _is_in_run(pair, present)]
    preferences = [_preference(*judged, present) for judged in in_run if judged[1].choice != "none"]
    by_score = [
        _difference(one.preferred.expected_score, one.other.expected_score) for one in preferences
    ]
    by_content = [_difference(one.preferred.content, one.other.content) for one in preferences]
    return [
        file.reviewer,
        *_share_and_interval(by_score, confidence),
        *_share_and_interval(by_content, confidence),
        len(in_run) - len(preferences),
        len(pairs) - len(in_run),
        file.key.review,
    ]


def _is_in_run(pair: PairKey, present: Mapping[Cell, ScoredCell]) -> bool:
    """True if the run has both cells with the answers that were shown."""
    left, right = present.get(pair.cell("left")), present.get(pair.cell("right"))
    if left is None or right is None:
        return False
    shown = (pair.left.fingerprint, pair.right.fingerprint)
    return shown == (left.fingerprint, right.fingerprint)


def _preference(pair: PairKey, review: Review, present: Mapping[Cell, ScoredCell]) -> Preference:
    left, right = present[pair.cell("left")], present[pair.cell("right")]
    return Preference(left, right) if review.choice == "left" else Preference(right, left)


def _difference(preferred: float | None, other: float | None) -> float:
    """How much higher the value of the preferred graph is; 0 where one is not measured."""
    return 0.0 if preferred is None or other is None else preferred - other


def _share_and_interval(differences: Sequence[float], confidence: float) -> tuple[Raw, Raw]:
    """How many of the differences that are not 0 are positive."""
    decided = [difference > 0 for difference in differences if abs(difference) > ROUNDING]
    if not decided:
        return None, (None, None)
    share = sum(decided) / len(decided)
    entry = Entry(show.share_of(sum(decided), len(decided)), share)
    return entry, share_interval(share, len(decided), confidence)


def _sides_note(file: ReviewFile) -> str:
    """Which of the two sides the reviewer preferred, whatever the scores are and the run holds."""
    preferred: Counter[str] = Counter()
    for pair, review in file.pairs():
        sides = {"left": pair.left.side, "right": pair.right.side, "none": "neither"}
        preferred[sides[review.choice]] += 1
    first, second = file.key.sides
    neither = preferred["neither"]
    return (
        f"{file.reviewer} preferred {first} in {show.counted(preferred[first], 'pair')}, {second} "
        f"in {show.counted(preferred[second], 'pair')}, neither in {show.counted(neither, 'pair')}."
    )
