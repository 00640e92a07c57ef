"""`python -m stages.agree`: from the reviews below reviews/ and the scorecards to results/agreement.json."""

from collections.abc import Iterator

from pydantic import ValidationError

from stages.agree.agreement import Scored, agreement_of
from stages.agree.reviews import read_reviews
from stages.contracts.cell import Cell
from stages.contracts.errors import InputError, Problem
from stages.contracts.json_text import NotJson, parse, pretty
from stages.contracts.scorecard import Scorecard
from stages.shell import numbers, paths
from stages.shell.command import run
from stages.shell.files import write_atomic


def main() -> None:
    """Compute the agreement; without reviews the scorecards are not even read.

    Raises:
        InputError: a review or a scorecard cannot be read.
    """
    files = read_reviews(paths.REVIEWS)
    found = agreement_of(files, dict(_scored()) if files else {})
    write_atomic(paths.AGREEMENT, pretty(found.to_json()))
    if not files:
        print(f"agreement with people: not measured, {paths.REVIEWS.as_posix()}/ has no reviews")
        return
    overall, counted = found.overall, sum(reviewer.counted for reviewer in found.reviewers)
    share = (
        f"{numbers.share_of(overall.agreed, overall.decided)} of the decided judgements"
        if overall.decided
        else "not measured"
    )
    gone = (
        f"; {numbers.counted(found.not_in_run, 'judgement')} of graphs that are not in this run"
        if found.not_in_run
        else ""
    )
    apart = f"; {len(files) - counted} not counted, more than one control missed" if counted < len(files) else ""
    print(f"agreement with people: {share}, {numbers.counted(counted, 'review')}{gone}{apart}")


def _scored() -> Iterator[tuple[Cell, Scored]]:
    name = paths.SCORECARDS.as_posix()
    try:
        with paths.SCORECARDS.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    card = Scorecard.read(parse(line))
                except (NotJson, ValidationError) as error:
                    message = f"is not what this version writes ({error}): dvc repro -f score makes it again"
                    raise InputError([Problem(name, f"line {number}", message)]) from None
                if card.expected_score is not None:
                    values = {sub.name: sub.value for group in card.sub_scores.values() for sub in group}
                    yield card.cell, Scored(card.fingerprint, card.expected_score, values)
    except OSError as error:
        raise InputError([Problem(name, "", f"cannot be read ({error.strerror}): dvc repro makes it")]) from None


if __name__ == "__main__":
    run(main)
