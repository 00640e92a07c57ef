"""Reads the records of a log by dotted paths, and makes each the line of an answer to a brief or of
traffic.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
    PRESETS,
    Reply,
    Unreadable,
    entries_of,
    find_reply,
    find_user_text,
    follow,
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


class RecordReader:
    """Reads records by paths; `used` counts by which."""

    def __init__(
        self, paths: Mapping[str, Sequence[str]], matcher: BriefMatcher, redactor: Redactor
    ) -> None:
        self.used: Counter[tuple[str, str]] = Counter()
        self.paths = paths
        self._matcher = matcher
        self._redactor = redactor

    def read(self, record: JsonObject) -> LogAnswer:
        """The answer in a record.

        Raises:
            Unreadable: it has none, or an input or a prompt that cannot be used.
        """
        output_path, reply = self._first("output", record, find_reply)
        if reply is None:
            raise Unreadable("has no output")
        output = follow(record, output_path)
        body = [] if reply.said is output else list(entries_of(output))
        input_path, given = self._first("input", record, find_user_text)
        asked = self._redactor.text(given or "").strip()
        brief_id = self._matcher.find(asked)
        if given is None and brief_id is None:
            raise Unreadable("has no input; of a batch, name the input file too")
        if input_path == "brief" and brief_id is None and IDENTIFIER.fullmatch(asked):
            hint = nearest(asked, self._matcher.known)
            raise Unreadable(f'names the brief "{asked}", which does not exist{hint}')
        system = self._redactor.text(self._system(record)).strip()
        said = self._redactor.value(reply.said)
        if said != reply.said:
            reply = read_reply(said)
        stated = self._stated(record, body)
        model = text_of(stated.get("model"))
        stop = self._first("stop", record, read_stop, body)[1]
        refusal = self._redactor.text(text_of(_entry(body, "refusal")) or "")
        answer: JsonObject = {
            "brief" if brief_id else "input": brief_id or _clean(asked, "an input")
        }
        text = said if isinstance(said, str) else canonical(said).decode("utf-8")
        if brief_id is None:
            answer |= stated | _form(reply, stop, refusal)
            text = traffic_text(answer)
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
            has_graph=reply.has_graph,
            system=_clean(system, "a system prompt") if system else None,
            model=model,
            content=content_hash(brief_id or asked, text),
            line=raw,
        )

    def _first(
        self,
        field: str,
        record: JsonObject,
        read: Callable[[JsonValue], Found | None],
        body: Body = (),
    ) -> tuple[str, Found | None]:
        """The first path of a field at which something is read, and what; `*.` begins a path that
        is anywhere in the body of the answer.
        """
        for path in self.paths[field]:
            is_in_body = path.startswith("*.")
            found = read(_entry(body, path[2:]) if is_in_body else follow(record, path))
            if found is not None:
                self.used[field, path] += 1
                return path, found
        return "", None

    def _stated(self, record: JsonObject, body: Body) -> JsonObject:
        """What a line of recorded answers states besides; 0, which logs have where nothing was
        measured, is left out, and so are the measures of an answer from a cache.
        """
        model = self._first("model", record, text_of, body)[1]
        stated: JsonObject = {
            "model": self._redactor.text(model or "") or None,
            "created_at": self._first("created_at", record, read_utc_text, body)[1],
        }
        if not (record.get("cache_hit") or object_of(record.get("response")).get("cached")):
            path, latency = self._first("latency", record, read_number)
            if latency and not path.casefold().endswith("ms"):
                latency *= 1000
            start = self._first("start", record, read_seconds)[1]
            end = self._first("end", record, read_seconds)[1]
            if not latency and start and end and start < end:
                latency = 1000 * (end - start)
            path, cost = self._first("cost", record, read_number)
            stated["latency_ms"] = latency or None
            stated["cost_usd"] = cost if path == "cost_usd" else cost or None
            stated["usage"] = self._first("usage", record, read_usage, body)[1]
        return {key: entry for key, entry in stated.items() if entry is not None}

    def _system(self, record: JsonObject) -> str:
        """The system prompt: of a request, or all of a text that is nothing else."""
        for path in self.paths["system"]:
            turns = unwrap(follow(record, path), "user")
            for role in ("system",) if path in PRESETS["input"] else ("system", "user"):
                texts = [turn.said for turn in turns if turn.role == role]
                if texts and all(isinstance(text, str) for text in texts):
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
