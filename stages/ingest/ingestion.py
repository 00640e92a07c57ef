"""Adapter: the logs of one recorded model, read to their end before anything is written."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from stages.contracts.errors import Problem
from stages.contracts.json_text import line
from stages.ingest.log_files import Columns, read_entries
from stages.ingest.matching import EntryResult, EntryState, Matcher
from stages.shell.text import visible

MAX_LISTED = 20


class Ingestion:
    """What the logs became so far; answers and the texts of new briefs are in temporary files."""

    def __init__(self, matcher: Matcher) -> None:
        self.counts: Counter[EntryState] = Counter()
        self.unreadable: list[str] = []
        """The first entries that cannot be used, and why."""
        self.report: list[str] = []
        self.new_briefs = 0
        self.answers: BinaryIO = TemporaryFile()  # noqa: SIM115 - there as long as this object
        self._briefs: BinaryIO = TemporaryFile()  # noqa: SIM115
        self._answers_sha256 = hashlib.sha256()
        self._matcher = matcher

    @property
    def answers_sha256(self) -> str:
        """The hash of the answers file."""
        return self._answers_sha256.hexdigest()

    @property
    def prompt(self) -> str | None:
        """The system prompt of all answers; None where they have none."""
        return next(iter(self._matcher.system_prompts), None)

    @property
    def model(self) -> str | None:
        """The model of all answers; None where the log names none, or several."""
        models = self._matcher.models
        return next(iter(models)) if len(models) == 1 else None

    def read(self, log: Path, columns: Columns) -> None:
        """Read a log to its end."""
        for entry in read_entries(log, columns):
            place = f"{visible(log.name)} line {entry.number}"
            self._keep(place, self._matcher.match(place, entry))

    def _keep(self, place: str, result: EntryResult) -> None:
        self.counts[result.state] += 1
        text = f"{place}: {result.state} {result.detail}".rstrip()
        self.report.append(text)
        if result.state == "unreadable" and len(self.unreadable) < MAX_LISTED:
            self.unreadable.append(text)
        self.answers.write(result.answer)
        self._answers_sha256.update(result.answer)
        if result.body:
            self.new_briefs += 1
            self._briefs.write(line([result.brief_id, result.body]))

    def briefs(self) -> Iterator[tuple[str, str]]:
        """The id and the body of each brief that there is not yet."""
        self._briefs.seek(0)
        for raw in self._briefs:
            brief_id, body = json.loads(raw)
            yield brief_id, body

    def problems(self) -> Iterator[Problem]:
        """Why the logs cannot be the answers of one model."""
        if not self.counts["new"] + self.counts["matched"]:
            lines = "".join(f"\n  {text}" for text in self.unreadable)
            yield Problem("the log", "", f"has no answer that can be used{lines}")
        places = list(self._matcher.system_prompts.values())
        if len(places) > 1:
            first_places = ", ".join(places[:MAX_LISTED])
            message = (
                f"{len(places)} different ones, or none in some lines, first at {first_places}"
            )
            advice = "make a log for each, and ingest it with an --as of its own"
            yield Problem("the log", "system prompts", f"{message}: {advice}")
        providers = sorted(self._matcher.providers)
        if len(providers) > 1 and self._matcher.provider is None:
            names = ", ".join(map(visible, providers[:MAX_LISTED]))
            yield Problem("the log", "providers", f"choose one with --provider: {names}")
