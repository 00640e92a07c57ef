"""Adapter: lets a model code the labels of briefs and draft what they state, and writes what two
answers agree on.
"""

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stages.commands.briefs import coding, drafting
from stages.commands.briefs.asking import ANSWERS, Asked, plan_questions
from stages.shared.records.brief import Brief, parse_brief, with_front_matter
from stages.shared.records.codebook import Codebook
from stages.shared.records.errors import NotAnswered
from stages.shared.records.graph import DraftGraph
from stages.shared.records.params import Params
from stages.shared.shell import numbers, paths
from stages.shared.shell.files import read_input, write_output
from stages.shared.shell.text import visible


@dataclass(frozen=True, slots=True)
class Work:
    """The briefs that a command is about, and all codebooks by brief."""

    params: Params
    briefs: tuple[Brief, ...]
    codebooks: Mapping[str, Codebook]


def code_labels(work: Work, graphs: Mapping[str, Iterable[DraftGraph]], options: Namespace) -> None:
    """Code the labels of graphs, by brief, that have no code; the codebooks are written.

    Raises:
        NotAnswered: an answer is missing; the briefs with all of theirs are written, so that the
            next run makes the same requests for the others.
    """
    requests: list[coding.CodingRequest] = []
    for brief in work.briefs:
        codebook = work.codebooks.get(brief.id)
        labels = coding.uncoded_labels(brief, codebook, graphs[brief.id])
        requests += coding.coding_requests(brief, labels)
        for label in labels:
            if not label.sendable:
                print(f"{brief.id}: code by hand, too long or invisible: {visible(label.text)}")
    texts = [request.text for request in requests]
    questions = plan_questions(options, work.params, work.briefs, coding.INSTRUCTIONS, texts)
    count = sum(len(request.labels) for request in requests)
    print(f"{numbers.counted(count, 'label')} without a code; {questions.forecast()}", flush=True)
    if options.dry_run or not requests:
        return
    asked = questions.ask(options.max_usd)
    for brief in work.briefs:
        of_brief = [request for request in requests if request.brief is brief]
        if all(request.text in asked.answers for request in of_brief):
            codings = [coding.compare_codes(one, asked.answers[one.text]) for one in of_brief]
            _write_codes(brief, work.codebooks.get(brief.id), codings, options.by)
    _end(asked)


def _write_codes(
    brief: Brief, codebook: Codebook | None, codings: Sequence[coding.Coding], by: str
) -> None:
    agreed = {label: code for entry in codings for label, code in entry.agreed.items()}
    if agreed:
        file = paths.CODEBOOKS / f"{brief.id}.yaml"
        earlier = read_input(file) if file.exists() else ""
        text = coding.codebook_text(coding.with_codes(codebook, agreed, by), earlier)
        write_output(file, text.encode())
        print(f"{file.as_posix()}: {numbers.counted(len(agreed), 'label')} coded")
    for entry in codings:
        for label, answers in entry.differing.items():
            shown = "; ".join(map(visible, answers))
            print(f"{brief.id}: code by hand: {visible(label.text)} ({shown})")


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
            print(f"{brief.id}: states options, concepts and effects already")
    texts = list(requests.values())
    questions = plan_questions(options, work.params, work.briefs, drafting.INSTRUCTIONS, texts)
    print(f"{numbers.counted(len(texts), 'brief')} to draft; {questions.forecast()}", flush=True)
    if options.dry_run or not texts:
        return
    asked = questions.ask(options.max_usd)
    for brief in work.briefs:
        answers = asked.answers.get(requests.get(brief.id, ""), ())
        drafts = [drafting.read_draft(answer, brief) for answer in answers]
        whole = [draft for draft in drafts if draft is not None]
        if len(whole) == ANSWERS:
            _show_draft(brief, drafting.compare_drafts(*whole), options)
        elif answers:
            print(f"{brief.id}: an answer is no draft")
    _end(asked)


def _show_draft(brief: Brief, draft: drafting.Draft, options: Namespace) -> None:
    lines = drafting.draft_lines(brief, draft, options.by)
    file = Path(paths.BRIEFS, f"{brief.id}.md")
    text = with_front_matter(read_input(file), lines)
    parse_brief(brief.id, text, file.as_posix())
    print(f"{brief.id}: {'both answers state' if lines else 'the answers agree on nothing new'}")
    for line in lines.splitlines():
        print(f"  {visible(line)}")
    for effect in draft.others:
        print(f"  one answer alone: {visible(effect)}")
    if options.write and lines:
        write_output(file, text.encode())
        print(f"  written to {file.as_posix()}")


def _end(asked: Asked) -> None:
    """Print what the command has cost; NotAnswered where a call failed."""
    print(f"{numbers.counted(asked.calls, 'call')}, {numbers.money(asked.usd)} in all runs.")
    if asked.failure:
        failure = f"an answer is missing: {asked.failure}"
        raise NotAnswered(f"{failure}; the same command continues")
