"""Adapter: lets a model code the labels of briefs and draft what they state, and writes what two
answers agree on.
"""

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stages.commands.briefs import coding, drafting
from stages.generate.calls.work import Budget
from stages.generate.capped_answers import (
    CappedAnswers,
    check_calls,
    problems_of_cap,
    problems_of_model,
    purpose_of,
)
from stages.generate.forecast import Forecaster, cost_line
from stages.generate.inputs import load_changed_plans
from stages.generate.ledger.store import Ledger
from stages.generate.missing import ledger_to_read
from stages.generate.plan.cells import needed, text_cell
from stages.shared.records.brief import Brief, parse_brief, with_front_matter
from stages.shared.records.codebook import Codebook
from stages.shared.records.errors import InputError, NotAnswered
from stages.shared.records.graph import DraftGraph
from stages.shared.records.params import Params
from stages.shared.shell import numbers, paths
from stages.shared.shell.command import show
from stages.shared.shell.files import environment_variables, read_input, write_atomic
from stages.shared.shell.text import visible

ANSWERS = 2
"""To each question; what both say is written."""


@dataclass(frozen=True, slots=True)
class Work:
    """The briefs that a command is about, and all codebooks by brief."""

    params: Params
    briefs: tuple[Brief, ...]
    codebooks: Mapping[str, Codebook]


@dataclass(frozen=True, slots=True)
class Asked:
    """The two answers to each question that has both, and why another has not; what all runs of
    the command paid.
    """

    answers: Mapping[str, tuple[str, ...]]
    failure: str | None
    calls: int
    usd: float


def code_labels(work: Work, graphs: Mapping[str, Iterable[DraftGraph]], options: Namespace) -> None:
    """Code the labels of graphs, by brief, that have no code; the codebooks are written.

    Raises:
        NotAnswered: an answer is missing; the briefs with all of theirs are written, so that the
            next run makes the same requests for the others.
    """
    requests: list[coding.CodingRequest] = []
    for brief in work.briefs:
        labels = coding.uncoded_labels(brief, work.codebooks.get(brief.id), graphs[brief.id])
        requests += coding.coding_requests(brief, labels)
        for label in labels:
            if not label.sendable:
                show(f"{brief.id}: code by hand, too long or invisible: {visible(label.text)}")
    count = sum(len(request.labels) for request in requests)
    subject = f"{numbers.counted(count, 'label')} without a code"
    texts = [request.text for request in requests]
    asked = _ask(work, options, coding.INSTRUCTIONS, texts, subject)
    if asked is None:
        return
    for brief in work.briefs:
        of_brief = [request for request in requests if request.brief is brief]
        if all(request.text in asked.answers for request in of_brief):
            codes: dict[coding.Label, tuple[coding.Code | None, ...]] = {}
            for request in of_brief:
                codes |= coding.both_codes(request, asked.answers[request.text])
            _write_codes(brief, work.codebooks.get(brief.id), codes, options.by)
    _end(asked)


def _ask(
    work: Work, options: Namespace, instructions: str, texts: Sequence[str], subject: str
) -> Asked | None:
    """Print how many calls are missing and what they cost, and make them; None where nothing is to
    be asked. Answers that were paid for are never called again.

    Raises:
        InputError: there is no such model, or a key or a price is missing.
    """
    variables = environment_variables()
    runtime = work.params.runtime.model_copy(update={"mode": "direct"})
    params = work.params.model_copy(update={"runtime": runtime})
    (plan,) = load_changed_plans(params, [{"--by": (options.by,)}], 1, variables)
    problems = list(problems_of_model("--by", options.by, plan))
    is_free = all(model.endpoint.simulated for model in plan.models)
    if options.max_usd is not None or not is_free:
        problems += problems_of_cap(options)
    if problems:
        raise InputError(problems)
    (model,) = plan.models
    numbered = range(1, ANSWERS + 1)
    cells = {
        text: [text_cell(model, instructions, text, one) for one in numbered] for text in texts
    }
    every = [cell for of_text in cells.values() for cell in of_text]
    with ledger_to_read(replace(plan, cells=())) as (stored, _):
        missing = needed(every, stored)
        cost = cost_line(Forecaster(stored.output_tokens).total(missing))
    show(f"{subject}; {cost}")
    if options.dry_run or not texts:
        return None
    check_calls(missing, variables)
    purpose = purpose_of("briefs", replace(plan, briefs=work.briefs))
    with Ledger(paths.ledger_folder()) as ledger:
        capped = CappedAnswers(runtime, ledger, variables, Budget(options.max_usd, purpose))
        faults = list(capped.fetch(every).values())
        kept = ledger.read([call for cell in every for call in cell.calls])
        calls, usd = capped.paid()
    answers: dict[str, tuple[str, ...]] = {}
    for text, of_text in cells.items():
        keys = [cell.fingerprints[0] for cell in of_text]
        if all(key in kept for key in keys):
            answers[text] = tuple(kept[key].raw_text or "" for key in keys)
    failure = visible(f"{faults[0].status}: {faults[0].message}") if faults else None
    return Asked(answers, failure, calls, usd)


def _write_codes(
    brief: Brief,
    codebook: Codebook | None,
    codes: Mapping[coding.Label, tuple[coding.Code | None, ...]],
    by: str,
) -> None:
    """Write the codes that both answers give, and list the other labels."""
    agreed = {
        label: given[0]
        for label, given in codes.items()
        if given[0] is not None and len(set(given)) == 1
    }
    if agreed:
        file = paths.CODEBOOKS / f"{brief.id}.yaml"
        earlier = read_input(file) if file.exists() else ""
        write_atomic(file, coding.codebook_text(codebook, agreed, by, earlier).encode())
        show(f"{file.as_posix()}: {numbers.counted(len(agreed), 'label')} coded")
    for label, given in codes.items():
        if label not in agreed:
            shown = "; ".join(visible(coding.shown_code(code)) for code in given)
            show(f"{brief.id}: code by hand: {visible(label.text)} ({shown})")


def draft_statements(work: Work, options: Namespace) -> None:
    """Draft what the briefs do not state; it is printed, and with `--write` put into the briefs.

    Raises:
        NotAnswered: an answer is missing.
    """
    requests: dict[str, str] = {}
    for brief in work.briefs:
        if drafting.missing_keys(brief):
            requests[brief.id] = drafting.draft_request(brief)
        else:
            show(f"{brief.id}: states options, concepts and effects already")
    texts = list(requests.values())
    subject = f"{numbers.counted(len(texts), 'brief')} to draft"
    asked = _ask(work, options, drafting.INSTRUCTIONS, texts, subject)
    if asked is None:
        return
    for brief in work.briefs:
        answers = asked.answers.get(requests.get(brief.id, ""), ())
        drafts = [drafting.read_draft(answer, brief) for answer in answers]
        whole = [draft for draft in drafts if draft is not None]
        if len(whole) == ANSWERS:
            _show_draft(brief, drafting.compare_drafts(*whole), options)
        elif answers:
            show(f"{brief.id}: an answer is no draft")
    _end(asked)


def _show_draft(brief: Brief, draft: drafting.Draft, options: Namespace) -> None:
    lines = drafting.draft_lines(brief, draft, options.by)
    file = Path(paths.BRIEFS, f"{brief.id}.md")
    text = with_front_matter(read_input(file), lines)
    parse_brief(brief.id, text, file.as_posix())
    show(f"{brief.id}: {'both answers state' if lines else 'the answers agree on nothing new'}")
    for line in lines.splitlines():
        show(f"  {visible(line)}")
    for effect in draft.others:
        show(f"  one answer alone: {visible(effect)}")
    if options.write and lines:
        write_atomic(file, text.encode())
        show(f"  written to {file.as_posix()}")


def _end(asked: Asked) -> None:
    """Print what the command has cost; NotAnswered where a call failed."""
    show(f"{numbers.counted(asked.calls, 'call')}, {numbers.money(asked.usd)} in all runs.")
    if asked.failure:
        failure = f"an answer is missing: {asked.failure}"
        raise NotAnswered(f"{failure}; the same command continues")
