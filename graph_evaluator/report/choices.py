"""The tables of recommended options: of every brief and model, and of one brief's options."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean

from graph_evaluator.analysis.choices import (
    Choice,
    have_same_usual,
    options_by_number,
    usual_options,
)
from graph_evaluator.analysis.summary import group
from graph_evaluator.present.page import brief_page, cells_link
from graph_evaluator.present.table import Column, Entry, Raw, Table, make_table
from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.report.ranking import BriefResult, Candidate
from graph_evaluator.shell import numbers as show
from graph_evaluator.shell.text import clip

MODELS_IN_TEXT = 4
"""Models of the table in a text at most; the site has all."""
MAX_LABEL = 60
"""Columns of an option's label at most."""
CHOICES_NOTE = (
    "The option that a model's usable graphs recommend most often, and in brackets its certainty: "
    "the share of draws of the graph's own strengths in which it stays the best. ≠ marks another "
    "option than most models recommend. A stable choice may still be wrong."
)


def option_name(option: OptionGain) -> str:
    """The label of an option, cut to a line; the status quo says that it is."""
    name = clip(option.label, MAX_LABEL)
    is_named = not option.status_quo or "status quo" in name.casefold()
    return name if is_named else f"{name} (status quo)"


def recommendation_text(given: Recommendation) -> str:
    """The recommended option, and how sure that is; of a tie all its options."""
    names = " or ".join(option_name(option) for option in given.recommended)
    margin, certainty = show.difference(given.margin), show.share(given.certainty)
    return f"{names} (margin {margin}, certainty {certainty})"


def certainty_look(certainty: float) -> str:
    """The shade of a certainty."""
    return f"h{min(int(6 * certainty), 5)}"


def choices_table(
    briefs: Sequence[BriefResult], models: Sequence[Candidate], root: str | None = None
) -> Table:
    """A row for each brief with the option that each model recommends. On a page, `root` is the way
    to the folder of its site.
    """
    columns = [
        Column("Brief"),
        Column("Agree", show.share, hint="Pairs of models that recommend the same option"),
        *(Column(model.name) for model in models),
    ]
    rows = [_choices_row(brief, models, root) for brief in briefs if brief.choices]
    title = "Recommended options"
    return make_table(columns, rows, title=title, name="choices")


def _choices_row(brief: BriefResult, models: Sequence[Candidate], root: str | None) -> list[Raw]:
    of_models = group(brief.choices, lambda choice: choice.cell.model_id)
    compared = [have_same_usual(*pair) for pair in combinations(of_models.values(), 2)]
    known = [same for same in compared if same is not None]
    page = "" if root is None else root + brief_page(brief.brief_id)
    row: list[Raw] = [Entry(brief.brief_id, href=page), fmean(known) if known else None]
    common = _common_options(of_models.values())
    for model in models:
        entry = _usual_option(of_models.get(model.id, ()), common)
        if root is not None and entry.text:
            cells = cells_link(model=model.id, brief=brief.brief_id)
            entry = entry._replace(href=root + cells)
        row.append(entry)
    return row


def _common_options(of_models: Iterable[Sequence[Choice]]) -> frozenset[int]:
    """The options that most models recommend; none where no two have one in common."""
    models = Counter(number for choices in of_models for number in usual_options(choices))
    most = max(models.values(), default=0)
    return frozenset(number for number, count in models.items() if count == most > 1)


def _usual_option(choices: Sequence[Choice], common: frozenset[int]) -> Entry:
    """The option that choices of one model recommend most often, marked where it is not one of the
    common ones; empty without a choice.
    """
    if not choices:
        return Entry("")
    options, usual = options_by_number(choices), usual_options(choices)
    named = [options[number] for number in sorted(usual)]
    certainty = fmean(option.certainty for option in named[0])
    names = " or ".join(option_name(same[0]) for same in named)
    mark = "≠ " if common and usual.isdisjoint(common) else ""
    return Entry(f"{mark}{names} ({show.share(certainty)})", look=certainty_look(certainty))


def options_table(brief: BriefResult, models: Sequence[Candidate]) -> Table:
    """A row for each option of a brief's graphs, with its mean gain and certainty by each model;
    the option that a model recommends most often is marked.
    """
    of_models = group(brief.choices, lambda choice: choice.cell.model_id)
    with_choice = [model for model in models if model.id in of_models]
    options = {model: options_by_number(choices) for model, choices in of_models.items()}
    usual = {model: usual_options(choices) for model, choices in of_models.items()}
    columns = [Column("Option"), *(Column(model.name, show.difference) for model in with_choice)]
    rows: list[list[Raw]] = []
    for number, same in options_by_number(brief.choices).items():
        row: list[Raw] = [option_name(same[0])]
        for model in with_choice:
            look = "good" if number in usual[model.id] else ""
            row.append(_gain(options[model.id].get(number, ()), look))
        rows.append(row)
    title = "Gain of every option at the goal"
    return make_table(columns, rows, title=title, name="options")


def _gain(options: Sequence[OptionGain], look: str) -> Entry:
    if not options:
        return Entry(show.MISSING)
    gain = fmean(option.gain for option in options)
    certainty = fmean(option.certainty for option in options)
    return Entry(f"{show.difference(gain)} ({show.share(certainty)})", gain, look=look)
