"""`python -m stages.agree`: computes how often reviewers and the score agree, from the reviews
below reviews/ and the scorecards, into results/agreement.json.
"""

from collections.abc import Sequence

from stages.agree.agreement import agreement_of, agreement_sentence
from stages.agree.reviews import read_reviews, read_scores
from stages.contracts.json_text import pretty
from stages.shell import paths
from stages.shell.command import command_parser, run
from stages.shell.files import write_atomic

_DESCRIPTION = """\
Compare the score's order with people's: read the reviews below reviews/ and the scorecards of the
run, and write results/agreement.json. Without reviews nothing is measured."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute the agreement; without reviews the scorecards are not even read."""
    command_parser("agree", _DESCRIPTION, "").parse_args(arguments)
    files = read_reviews(paths.REVIEWS)
    agreement = agreement_of(files, read_scores(paths.SCORECARDS) if files else {})
    write_atomic(paths.AGREEMENT, pretty(agreement.to_json()))
    print(f"agreement with people: {agreement_sentence(agreement)}")


if __name__ == "__main__":
    run(main)
