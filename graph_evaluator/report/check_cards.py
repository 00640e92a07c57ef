"""The worth of each check: how often it passes and fails, and which damaged graphs it notices; the
team's own checks by model.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from graph_evaluator.analysis.summary import mean_of_known, means_by_name
from graph_evaluator.present.page import cell_page
from graph_evaluator.present.table import Column, Entry, Raw, Section, Table, make_table
from graph_evaluator.records.run_results import CheckCard, CheckCards, Damage
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.ranking import Candidate
from graph_evaluator.shell import numbers as show

WEAK_BRIEF = 0.8
"""A brief is named if the checks notice a smaller share of its damaged copies."""
EXPLAINED = (
    "Catches: the share of damaged copies of the run's own usable graphs that the check judges "
    "worse than the graph itself."
)


def checks_section(
    cards: CheckCards, cells: Sequence[ScoredCell], models: Sequence[Candidate]
) -> Section:
    """The cards of all checks, and the team's own checks by model."""
    tables = [_cards_table(cards, cells)]
    own = [card for card in cards.checks if card.own]
    if own:
        tables.append(_own_table(own, models))
    texts = [EXPLAINED, *_weak_briefs(cards)]
    return Section("checks", "What each check is worth", texts, tables)


def _cards_table(cards: CheckCards, cells: Sequence[ScoredCell]) -> Table:
    outcomes: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        outcomes.update(cell.checks.items())
    means = means_by_name(cell.own_measures for cell in cells)
    counted = ("Passes", "Warns or fails", "Does not apply")
    columns = [Column("Check"), Column("Question")]
    columns += [*(Column(title, show.count) for title in counted), Column("Catches")]
    rows: list[list[Raw]] = []
    for card in cards.checks:
        name = card.name.replace("_", " ")
        noticed = outcomes[card.name, "warn"] + outcomes[card.name, "fail"]
        shown: Raw = noticed
        passes: Raw = outcomes[card.name, "pass"]
        skips = outcomes[card.name, "not_applicable"]
        if mean := means.get(card.name):
            passes = Entry(f"mean {show.score(mean.value)}, n = {show.count(mean.n)}")
            shown = noticed or None
        elif card.own and not noticed:
            shown = Entry("never failed here", 0.0)
        rows.append([name, card.question, passes, shown, skips, _catches(card, cards.copies)])
    return make_table(columns, rows, title="Check cards", name="check-cards")


def _catches(card: CheckCard, copies: Mapping[Damage, int]) -> str:
    """The kinds of damage that a check notices, each with the share of copies it catches."""
    if not any(copies.values()):
        return show.MISSING
    shares = [
        f"{damage} {show.share(number / copies[damage])}"
        for damage, number in card.caught.items()
        if number
    ]
    return ", ".join(shares) or "none"


def _weak_briefs(cards: CheckCards) -> Iterator[str]:
    """The briefs whose damaged graphs are noticed least."""
    weak = [brief for brief in cards.briefs if brief.caught < WEAK_BRIEF * brief.copies]
    weak.sort(key=lambda brief: brief.caught / brief.copies)
    named = [f"{brief.brief_id} {show.share_of(brief.caught, brief.copies)}" for brief in weak]
    if named:
        yield (
            "The checks notice few damaged graphs of these briefs. State effects, options or a "
            f"target in their front-matter: {show.first_of(named)}."
        )


def _own_table(cards: Iterable[CheckCard], models: Sequence[Candidate]) -> Table:
    """A row for each of the team's own checks and each model."""
    counted = ("Passes", "Fails", "Does not apply")
    columns = [Column("Check"), Column("Model")]
    columns += [Column(title, show.count) for title in counted]
    columns += [Column("Mean", show.score), Column("Passes in"), Column("Fails in")]
    rows: list[list[Raw]] = []
    for card, model in product(cards, models):
        cells = [cell for cell in model.cells if card.name in cell.own_checks]
        passed, failed, skipped = (
            [cell for cell in cells if cell.own_checks[card.name] is value]
            for value in (True, False, None)
        )
        mean = mean_of_known(cell.own_measures.get(card.name) for cell in cells)
        counts = [len(passed), len(failed), len(skipped)]
        rows.append([card.name, model.name, *counts, mean, _example(passed), _example(failed)])
    return make_table(columns, rows, title="Your own checks", name="own-checks", heads=2)


def _example(cells: Sequence[ScoredCell]) -> Raw:
    """The first of these cells, with its page."""
    return Entry(str(cells[0].cell), href=cell_page(cells[0].cell)) if cells else ""
