"""Reads the records of a log by dotted paths, and makes each the line of an answer to a brief or of
traffic.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stages.commands.ingest.facts import (
    read_number,
    read_seconds,
    read_stop,
    read_usage,
    read_utc_text,
)
from stages.commands.ingest.matching import BriefMatcher
from stages.commands.ingest.redacting import Redactor
from stages.commands.ingest.unwrapping import (
    FACTS,
    PRESETS,
    Reply,
    Unreadable,
    entries_of,
    find_reply,
    find_user_text,
    follow,
    has_graph,
    opened,
    read_reply,
    unwrap,
)
from stages.generate.answers.extraction import ordinary_form
from stages.generate.apis.kind import object_of, text_of
from stages.generate.recorded_models import MAX_LINE_BYTES
from stages.shared.records.errors import nearest
from stages.shared.records.json_text import JsonObject, JsonValue, canonical, line
from stages.shared.records.model_config import IDENTIFIER

Found = TypeVar("Found")
Body = Sequence[tuple[str, JsonValue]]
MAX_TEXT_BYTES = 1_000_000
"""Of an input, or of a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAnswer:
    """An answer of a log, without what must not be written.

    `brief_id` is None for traffic, `system` and `model` where there is none. `content` tells
    answers apart, and `line` is that of recorded answers.
    """

    brief_id: str | None
    asked: str
    text: str
    has_graph: bool
    system: str | None
    model: str | None
    content: bytes
    line: bytes


def _is_there(found: object) -> bool:
    return found is not None


class RecordReader:
    """Reads records by the paths that a person names, else by known ones; `used` counts them."""

    def __init__(
        self, named: Mapping[str, str | None], matcher: BriefMatcher, redactor: Redactor
    ) -> None:
        self.used: Counter[tuple[str, str]] = Counter()
        self._named = {field: (path,) for field, path in named.items() if path is not None}
        self.paths = PRESETS | FACTS | {"system": (*PRESETS["system"], *PRESETS["input"])}
        self.paths |= self._named
        self._matcher = matcher
        self._redactor = redactor

    def read(self, record: JsonObject) -> LogAnswer:
        """The answer in a record.

        Raises:
            Unreadable: it has none, or an input or a prompt that cannot be used.
        """
        input_path, given = self._find("input", record, find_user_text, self._is_brief)
        others = {key: value for key, value in record.items() if value != given}
        output_path, reply = self._find("output", others, find_reply, has_graph)
        if reply is None and "output" not in self._named:
            output_path, reply = ".", find_reply(record)
        if reply is None:
            raise Unreadable("has no output")
        asked = self._redactor.text(given or "").strip()
        brief_id = self._matcher.find(asked)
        if given is None and brief_id is None:
            raise Unreadable("has no input; of a batch, name the input file too")
        if input_path == "brief" and brief_id is None and IDENTIFIER.fullmatch(asked):
            hint = nearest(asked, self._matcher.known)
            raise Unreadable(f'names the brief "{asked}", which does not exist{hint}')
        output = follow(record, output_path)
        body = [] if reply.said is output else list(entries_of(opened(output)))
        system = self._redactor.text(self._system(record)).strip()
        said = self._redactor.value(reply.said)
        if said != reply.said:
            reply = read_reply(said)
        stated = self._stated(record, body)
        model = text_of(stated.get("model"))
        stop = self._find("stop", record, read_stop, body=body)[1]
        refusal = self._redactor.text(text_of(_entry(body, "refusal")) or "")
        subject = brief_id or _clean(asked, "an input")
        answer: JsonObject = {"brief" if brief_id else "input": subject}
        text = said if isinstance(said, str) else canonical(said).decode("utf-8")
        told_apart_by = "" if refusal else text
        if brief_id is None:
            answer |= stated | _form(reply, stop, refusal)
            told_apart_by = traffic_text(answer)
        elif stop or refusal:
            answer |= _unfinished(stated, text, stop, refusal)
        else:
            answer |= stated | {"text" if said is text else "graph": said}
        raw = line(answer)
        if len(raw) > MAX_LINE_BYTES:
            raise Unreadable(f"is longer than {MAX_LINE_BYTES:,} bytes as an answer")
        return LogAnswer(
            brief_id=brief_id,
            asked=asked,
            text=text,
            has_graph=has_graph(reply),
            system=_clean(system, "a system prompt") if system else None,
            model=model,
            content=content_hash(subject, told_apart_by),
            line=raw,
        )

    def tried(self, field: str) -> Sequence[str]:
        """The paths at which something was read, else all that were tried."""
        used = [path for (name, path), times in self.used.items() if times and name == field]
        return used or self.paths[field]

    def _values(
        self, field: str, record: JsonObject, body: Body = ()
    ) -> Iterator[tuple[str, JsonValue]]:
        """The paths of a field that lead somewhere, and where to; `*.` begins one that is anywhere
        in the body of the answer.
        """
        for path in self.paths[field]:
            head, _, rest = path.partition(".")
            value = _entry(body, rest) if head == "*" else None
            if head in record or path in record:
                value = follow(record, path)
            if value is not None:
                yield path, value

    def _find(
        self,
        field: str,
        record: JsonObject,
        read: Callable[[JsonValue], Found | None],
        fits: Callable[[Found | None], bool] = _is_there,
        body: Body = (),
    ) -> tuple[str, Found | None]:
        """The first path at which what is read fits, else the first known one at which anything is
        read, and what; a brief may be under any key.

        Raises:
            Unreadable: nothing is read, for this reason.
        """
        values = dict(self._values(field, record, body))
        if field == "input" and field not in self._named:
            values |= {key: record[key] for key in record if key not in values}
        best: tuple[str, Found | None] = ("", None)
        fault: Unreadable | None = None
        for path, value in values.items():
            try:
                found = read(value)
            except Unreadable as error:
                fault = fault or error
                continue
            if fits(found):
                best = path, found
                break
            if best[1] is None and path in self.paths[field]:
                best = path, found
        if best[1] is None and fault:
            raise fault
        self.used[field, best[0]] += best[1] is not None
        return best

    def _is_brief(self, text: str | None) -> bool:
        replaced = self._redactor.replaced
        brief_id = self._matcher.find(self._redactor.text(text or "").strip())
        self._redactor.replaced = replaced
        return brief_id is not None

    def _stated(self, record: JsonObject, body: Body) -> JsonObject:
        """What a line of recorded answers states besides; 0, which logs have where nothing was
        measured, is left out, and so are the measures of an answer from a cache.
        """
        model = self._find("model", record, text_of, body=body)[1]
        stated: JsonObject = {
            "model": self._redactor.text(model or "") or None,
            "created_at": self._find("created_at", record, read_utc_text, body=body)[1],
        }
        if not (record.get("cache_hit") or object_of(record.get("response")).get("cached")):
            path, latency = self._find("latency", record, read_number)
            if latency and not path.casefold().endswith("ms"):
                latency *= 1000
            start = self._find("start", record, read_seconds)[1]
            end = self._find("end", record, read_seconds)[1]
            if not latency and start and end and start < end:
                latency = 1000 * (end - start)
            path, cost = self._find("cost", record, read_number)
            stated["latency_ms"] = latency or None
            stated["cost_usd"] = cost if path == "cost_usd" else cost or None
            stated["usage"] = self._find("usage", record, read_usage, body=body)[1]
        return {key: entry for key, entry in stated.items() if entry is not None}

    def _system(self, record: JsonObject) -> str:
        """The system prompt: of a request, or all of a text that is nothing else."""
        for path, value in self._values("system", record):
            turns = unwrap(value, "user")
            for role in ("system",) if path in PRESETS["input"] else ("system", "user"):
                texts = [turn.said for turn in turns if turn.role == role]
                if texts and all(isinstance(text, str) for text in texts):
                    self.used["system", path] += 1
                    return "\n\n".join(map(str, texts))
        return ""


def _entry(body: Body, name: str) -> JsonValue:
    return next((entry for key, entry in body if key == name and entry), None)


def content_hash(subject: str, answer: str) -> bytes:
    """What tells answers apart: the brief or the input, and the text of the answer."""
    return hashlib.sha256(f"{subject}\0{answer}".encode("utf-8", "surrogatepass")).digest()


def traffic_text(record: JsonObject) -> str:
    """What tells the answers in lines of traffic apart."""
    return canonical([record.get("status"), record.get("graph")]).decode("utf-8")


def _form(reply: Reply, stop: str | None, refusal: str) -> JsonObject:
    """What is kept of an answer to an input that no brief has: its graph, or why there is none."""
    if refusal or stop:
        is_truncated = stop == "max_output_tokens" and not refusal
        return {"status": "truncated" if is_truncated else "refused"}
    graph = ordinary_form(reply.parsed)
    return {"status": "parse_failed" if graph is None else "success", "graph": graph}


def _unfinished(stated: JsonObject, text: str, stop: str | None, refusal: str) -> JsonObject:
    """The keys of an answer that was cut off or refused: a body of the Responses API says so."""
    usage = object_of(stated.pop("usage", None))
    content: JsonObject = {"type": "output_text", "text": text}
    if refusal:
        content = {"type": "refusal", "refusal": refusal}
    body: JsonObject = {
        "model": stated.pop("model", None),
        "status": "incomplete" if stop else "completed",
        "incomplete_details": {"reason": stop} if stop else None,
        "output": [{"type": "message", "role": "assistant", "content": [content]}],
        "usage": usage | {"input_tokens_details": usage, "output_tokens_details": usage},
    }
    return stated | {"body": body}


def _clean(text: str, noun: str) -> str:
    """A text as a file of the project may hold it; Unreadable says why it is none."""
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    size = len(clean.encode("utf-8", "replace"))
    if not 0 < size <= MAX_TEXT_BYTES:
        raise Unreadable(f"has {noun} that is empty, or of more than {MAX_TEXT_BYTES:,} bytes")
    if re.search("[\0\ud800-\udfff]", clean):
        raise Unreadable(f"has {noun} with a NUL character or half a surrogate pair")
    return clean
