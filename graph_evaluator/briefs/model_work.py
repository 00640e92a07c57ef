"""Adapter: lets a model code the labels of briefs, twice, and draft what they state; and writes
that.
"""

from argparse import Namespace
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from graph_evaluator.briefs import questions
from graph_evaluator.briefs.checking import StoredGraph
from graph_evaluator.generate.calls.budget import Budget
from graph_evaluator.generate.fetching import open_fetcher
from graph_evaluator.generate.forecast import cost_line
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.plan.call import PlannedModel
from graph_evaluator.generate.plan.cells import PlannedCell, text_cell
from graph_evaluator.generate.planning import (
    load_changed_plans,
    problems_of_cap,
    problems_of_model,
    purpose_of,
)
from graph_evaluator.records.brief import Brief, parse_brief, with_front_matter
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.errors import NotAnswered, refuse
from graph_evaluator.records.graph import DraftGraph
from graph_evaluator.records.params import Params
from graph_evaluator.shell import numbers, paths
from graph_evaluator.shell.command import show
from graph_evaluator.shell.paths import environment_variables, read_input, write_atomic
from graph_evaluator.shell.text import visible

Requests: TypeAlias = Mapping[str, tuple[Brief, Sequence[questions.CodedLabel]]]
"""The texts that a coder is asked, each with its brief and the labels that it asks for."""


@dataclass(frozen=True, slots=True)
class StatedBriefs:
    """The briefs that a command is about, and all codebooks by brief."""

    params: Params
    briefs: tuple[Brief, ...]
    codebooks: Mapping[str, Codebook]


def code_labels(
    work: StatedBriefs, graphs: Mapping[str, Iterable[StoredGraph]], options: Namespace
) -> None:
    """Code the labels of graphs, by brief, that have no code; the codebooks are written, and labels
    are listed on which the answers differ.
    """
    drafts = {brief: [stored.graph for stored in of_brief] for brief, of_brief in graphs.items()}
    requests = requests_to_code(work.briefs, work.codebooks, drafts)
    count = sum(len(labels) for _, labels in requests.values())
    subject = f"{numbers.counted(count, 'label')} without a code"
    answers = _ask(work, options, questions.CODING_INSTRUCTIONS, requests, subject, times=2)
    write_codes(requests, answers, work.codebooks, options.by)


def requests_to_code(
    briefs: Iterable[Brief],
    codebooks: Mapping[str, Codebook],
    graphs: Mapping[str, Iterable[DraftGraph]],
) -> Requests:
    """The requests about the labels of graphs, by brief, that have no code."""
    return {
        text: (brief, labels)
        for brief in briefs
        for text, labels in questions.coding_requests(
            brief, codebooks.get(brief.id), graphs.get(brief.id, ())
        )
    }


def write_codes(
    requests: Requests,
    answers: Mapping[str, Sequence[str]],
    codebooks: Mapping[str, Codebook],
    by: str,
) -> None:
    """Write the codes on which both answers to a request agree to the codebooks; the labels on
    which they differ are listed.
    """
    agreed: defaultdict[str, dict[questions.CodedLabel, questions.LabelCode]] = defaultdict(dict)
    for text, both in answers.items():
        brief, labels = requests[text]
        first, second = (questions.read_codes(answer, labels, brief) for answer in both)
        for label, code in first.items():
            if code is not None and code == second[label]:
                agreed[brief.id][label] = code
            else:
                show(f"{brief.id}: code by hand: {visible(label.text)}")
    for brief_id, codes in agreed.items():
        file = paths.CODEBOOKS / f"{brief_id}.yaml"
        earlier = read_input(file) if file.exists() else ""
        text = questions.codebook_text(codebooks.get(brief_id), codes, by, earlier)
        write_atomic(file, text.encode())
        show(f"{file.as_posix()}: {numbers.counted(len(codes), 'label')} coded")


def draft_statements(work: StatedBriefs, options: Namespace) -> None:
    """Draft what the briefs do not state; it is printed, and with `--write` put into the briefs."""
    missing = [brief for brief in work.briefs if questions.missing_keys(brief)]
    requests = {questions.draft_request(brief): brief for brief in missing}
    subject = f"{numbers.counted(len(requests), 'brief')} to draft"
    answered = _ask(work, options, questions.DRAFTING_INSTRUCTIONS, requests, subject, times=1)
    for text, (answer,) in answered.items():
        brief = requests[text]
        draft = questions.read_draft(answer, brief)
        if draft is None:
            show(f"{brief.id}: the answer is not a draft")
        else:
            _show_draft(brief, questions.draft_lines(brief, draft, options.by), options)


def _show_draft(brief: Brief, lines: str, options: Namespace) -> None:
    show(f"{brief.id}: {'the answer states' if lines else 'the answer states nothing new'}")
    for line in lines.splitlines():
        show(f"  {visible(line)}")
    if options.write and lines:
        file = Path(paths.BRIEFS, f"{brief.id}.md")
        text = with_front_matter(read_input(file), lines)
        parse_brief(brief.id, text, file.as_posix())
        write_atomic(file, text.encode())
        show(f"  written to {file.as_posix()}")


def _ask(
    work: StatedBriefs,
    options: Namespace,
    instructions: str,
    texts: Collection[str],
    subject: str,
    times: int,
) -> dict[str, list[str]]:
    """Print how many calls are missing and what they cost, then make them (none in a dry run).
    Each text gets `times` answers. An answer that was paid for is never called for again.

    Raises:
        InputError: there is no such model, or a key or a price is missing.
        NotAnswered: an answer is missing.
    """
    variables = environment_variables()
    runtime = work.params.runtime.model_copy(update={"mode": "direct"})
    params = work.params.model_copy(update={"runtime": runtime})
    (plan,) = load_changed_plans(params, [{"models": (options.by,)}], 1, variables)
    refuse([*problems_of_model("--by", options.by, plan), *problems_of_cap(options)])
    (model,) = plan.models
    every = cells_asked(model, instructions, texts, times)
    purpose = purpose_of("briefs", replace(plan, briefs=work.briefs))
    budget = Budget(options.max_usd, purpose, runtime.max_cost_usd_month)
    plan = replace(plan, cells=every)
    with open_fetcher(plan, variables, budget, read_only=options.dry_run) as fetcher:
        missing = fetcher.missing()
        show(f"{subject}; {cost_line(fetcher.forecast(missing))}")
        if options.dry_run or not texts:
            return {}
        fetcher.announce(missing)
        faults = list(fetcher.fetch().values())
        answers = answers_by_text(texts, every, fetcher.ledger)
        calls, usd = fetcher.ledger.paid_for(budget.purpose)
    show(f"Used so far: {numbers.counted(calls, 'call')}, {numbers.money(usd)}.")
    if faults:
        failure = visible(f"an answer is missing: {faults[0].status}: {faults[0].message}")
        raise NotAnswered(f"{failure}; the same command continues")
    return answers


def cells_asked(
    model: PlannedModel, instructions: str, texts: Collection[str], times: int
) -> tuple[PlannedCell, ...]:
    """`times` cells for each text."""
    samples = range(1, times + 1)
    return tuple(text_cell(model, instructions, text, one) for text in texts for one in samples)


def answers_by_text(
    texts: Collection[str], cells: Sequence[PlannedCell], ledger: Ledger
) -> dict[str, list[str]]:
    """The answers to each text; one that is missing is empty."""
    kept = ledger.read([call for cell in cells for call in cell.calls])
    answers = [kept.get(cell.fingerprints[0]) for cell in cells]
    given = [answer.raw_text or "" if answer else "" for answer in answers]
    times = len(cells) // max(len(texts), 1)
    return {text: given[times * place : times * (place + 1)] for place, text in enumerate(texts)}
