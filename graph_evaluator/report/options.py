"""The tables of recommended options, of every brief and model and of one brief's options; and of
what graphs say about briefs with exact names.
"""

from collections.abc import Sequence
from itertools import combinations, product
from statistics import fmean

from graph_evaluator.analysis.choices import (
    Choice,
    have_same_usual,
    options_by_number,
    usual_options,
)
from graph_evaluator.analysis.summary import group, mean_of_known, summarise
from graph_evaluator.present.page import brief_page, model_page
from graph_evaluator.present.table import Column, Entry, Raw, Section, Table, make_table
from graph_evaluator.records.brief import COMPLEXITIES
from graph_evaluator.records.recommendation import OptionGain, Recommendation
from graph_evaluator.records.scorecard import EFFECT_OUTCOMES, ScoredCell
from graph_evaluator.report.ranking import BriefResult, Candidate
from graph_evaluator.shell import numbers as show
from graph_evaluator.shell.text import clip

MODELS_IN_TEXT = 4
"""Models of the table in a text at most; the site has all."""
MAX_LABEL = 60
"""Maximum columns of an option's label."""
READING_NOTE = (
    "Labels have the names of these briefs, so content needs no codebook, and every effect between "
    "two quantities that does not follow from the brief is invented."
)
CHOICES_NOTE = (
    "The option that a model's usable graphs recommend most often, and in brackets its certainty: "
    "the share of draws of the graph's own strengths in which it stays the best. ≠ marks another "
    "option than that of the first model; options that the brief names as one count as one. A "
    "stable choice may still be wrong."
)


def option_name(option: OptionGain) -> str:
    """The label of an option, cut to a line; the status quo says that it is."""
    name = clip(option.label, MAX_LABEL)
    is_named = not option.status_quo or "status quo" in name.casefold()
    return name if is_named else f"{name} (status quo)"


def recommendation_text(given: Recommendation) -> str:
    """The recommended option, and how sure that is; of a tie all its options."""
    names = " or ".join(map(option_name, given.recommended))
    margin, certainty = show.difference(given.margin), show.share(given.certainty)
    return f"{names} (margin {margin}, certainty {certainty})"


def choices_section(briefs: Sequence[BriefResult], models: Sequence[Candidate]) -> Section:
    """A row for each brief with the option that each model recommends."""
    hint = "Pairs of models that recommend the same option"
    columns = [Column("Brief"), Column("Agree", show.share, hint=hint)]
    columns += [Column(model.name) for model in models]
    rows: list[list[Raw]] = []
    for brief in briefs:
        if not brief.choices:
            continue
        of_models = group(brief.choices, lambda choice: choice.cell.model_id)
        choices = [of_models.get(model.id, []) for model in models]
        pairs = [have_same_usual(*pair) for pair in combinations(filter(None, choices), 2)]
        page = Entry(brief.brief_id, href=brief_page(brief.brief_id))
        first = next(filter(None, choices), [])
        entries = [_usual_option(of_model, first) for of_model in choices]
        rows.append([page, mean_of_known(pairs), *entries])
    table = make_table(columns, rows, title="Recommended options", name="choices")
    return Section("choices", "What the graphs recommend", [CHOICES_NOTE], [table])


def reading_section(cells: Sequence[ScoredCell], models: Sequence[Candidate]) -> Section:
    """A row for each model and complexity of the briefs with exact names: what its graphs say about
    the stated effects, and which they invent.
    """
    columns = [
        Column("Model"),
        Column("Complexity"),
        Column("Answers", show.count),
        Column("Usable", show.share),
        Column("Content", show.score, hint="A failure counts 0"),
        *(Column(outcome.capitalize(), show.count) for outcome in EFFECT_OUTCOMES),
        Column("Invented", show.count, hint="Effects that do not follow from the brief"),
        Column(
            "Invented, share",
            show.share,
            hint="Invented effects among all effects of a graph, the mean over usable graphs",
        ),
        Column("Right choice", show.share, hint="Usable graphs that recommend the best option"),
    ]
    exact = [cell for cell in cells if cell.exact_names]
    by_row = group(exact, lambda cell: (cell.model_id, cell.complexity))
    rows: list[list[Raw]] = []
    for model, complexity in product(models, COMPLEXITIES):
        of_row = by_row.get((model.id, complexity), [])
        summary = summarise(of_row)
        if summary.answered:
            counts = [
                sum(cell.effect_counts.get(name, 0) for cell in of_row) for name in EFFECT_OUTCOMES
            ]
            invented = sum(cell.invented_effects or 0 for cell in of_row)
            share, right = summary.invented_share.value, summary.right_choice
            choice: Raw = None
            if right.value is not None:
                choice = Entry(show.share_of(round(right.value * right.n), right.n), right.value)
            page = Entry(model.name, href=model_page(model.id))
            scores = [summary.answered, summary.usable_share, summary.content.value]
            rows.append([page, complexity, *scores, *counts, invented, share, choice])
    table = make_table(columns, rows, title="Briefs with exact names", name="reading", heads=2)
    return Section("reading", "How well they read", [READING_NOTE], [table])


def _usual_option(choices: Sequence[Choice], first: Sequence[Choice]) -> Entry:
    """The option that choices of one model recommend most often, shaded by its certainty, and
    marked where those of the first model recommend another; empty without a choice.
    """
    if not choices:
        return Entry("")
    options = options_by_number(choices)
    usual = [options[number] for number in sorted(usual_options(choices))]
    certainty = fmean(option.certainty for option in usual[0])
    names = " or ".join(option_name(same[0]) for same in usual)
    mark = "≠ " if have_same_usual(first, choices) is False else ""
    text = f"{mark}{names} ({show.share(certainty)})"
    return Entry(text, look=f"h{min(int(6 * certainty), 5)}")


def options_table(brief: BriefResult, models: Sequence[Candidate]) -> Table:
    """A row for each option of a brief's graphs, with its mean gain and certainty by each model;
    the option that a model recommends most often is marked.
    """
    of_models = group(brief.choices, lambda choice: choice.cell.model_id)
    shown = [model for model in models if model.id in of_models]
    columns = [Column("Option"), Column("Named by the brief")]
    columns += [Column(model.name, show.difference) for model in shown]
    rows: list[list[Raw]] = []
    for number, same in options_by_number(brief.choices).items():
        entries = [_gain(number, of_models[model.id]) for model in shown]
        stated = next((option.stated for option in same if option.stated), "")
        rows.append([option_name(same[0]), stated, *entries])
    return make_table(columns, rows, title="Gain of every option at the goal", name="options")


def _gain(number: int, choices: Sequence[Choice]) -> Entry:
    """The mean gain and certainty of an option by choices of one model."""
    options = options_by_number(choices).get(number)
    if not options:
        return Entry(show.MISSING)
    gain = fmean(option.gain for option in options)
    certainty = fmean(option.certainty for option in options)
    look = "good" if number in usual_options(choices) else ""
    return Entry(f"{show.difference(gain)} ({show.share(certainty)})", gain, look=look)
