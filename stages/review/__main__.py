"""`python -m stages.review`: writes the page that asks people which of two graphs is better, and
the key to it.
"""

import sys

from stages.contracts.json_text import pretty
from stages.contracts.review import KEY_SUFFIX
from stages.review.graphs import graphs_of_revisions, graphs_of_run
from stages.review.options import parse_review_options
from stages.review.page import minutes_of, review_page
from stages.review.pairs import draw_pairs, pairs_lines
from stages.shell import paths
from stages.shell.command import run
from stages.shell.files import write_atomic
from stages.shell.inputs import load_briefs
from stages.shell.pages import register_page


def main() -> None:
    """Draw the pairs, write the page and the key, and say what to do with them."""
    options = parse_review_options(sys.argv[1:])
    models = tuple(options.models or ())
    graphs = graphs_of_revisions(options.base) if options.base else graphs_of_run(models)
    key = draw_pairs(graphs.candidates, options.pairs, options.seed, graphs.sides)
    page = review_page(key, {brief.id: brief.body for brief in load_briefs()}, graphs.graph)
    html = paths.REVIEWS / f"{key.review}.html"
    key_file = paths.REVIEWS / f"{key.review}{KEY_SUFFIX}"
    write_atomic(key_file, pretty(key.to_json()))
    write_atomic(html, page)
    register_page(html, f"Review {key.review}")
    for line in pairs_lines(key, graphs.candidates, options.pairs):
        print(line)
    time = f"about {minutes_of(len(key.pairs))} minutes"
    print(f"{html.as_posix()}: the page for each reviewer ({time}); open it from disk in a browser")
    advice = "commit it with the reviews, and do not show it to reviewers"
    print(f"{key_file.as_posix()}: which graph is whose; {advice}")


if __name__ == "__main__":
    run(main)
