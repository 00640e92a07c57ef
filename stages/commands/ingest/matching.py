"""Which brief an exchange of a log belongs to, and the line of recorded answers it becomes."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from stages.commands.ingest.mapping import Exchange
from stages.commands.ingest.redacting import Redactor
from stages.commands.ingest.unwrapping import Unreadable
from stages.generate.answers.extraction import extract, ordinary_form
from stages.generate.apis.kind import object_of
from stages.generate.recorded_models import MAX_LINE_BYTES
from stages.shared.records.errors import nearest
from stages.shared.records.json_text import JsonObject, canonical, line
from stages.shared.records.model_config import IDENTIFIER

MAX_TEXT_BYTES = 1_000_000
"""Of an input, or of a prompt."""


@dataclass(frozen=True, slots=True)
class MatchedAnswer:
    """The text of an answer, its line of recorded answers, and the hash of what it answers and of
    the text; of a line of traffic `brief_id` is None.
    """

    brief_id: str | None
    text: str
    line: bytes
    content: bytes


class BriefMatcher:
    """Finds the brief of an input: one named for all, one whose id it is, or one whose text it has,
    alone or within a template.
    """

    def __init__(
        self, hashes: Mapping[str, str], brief: str | None = None, template: str = "{brief}"
    ) -> None:
        self._ids = {sha256: brief_id for brief_id, sha256 in hashes.items()}
        self._known = frozenset(hashes)
        self._brief = brief
        before, _, after = template.partition("{brief}")
        self._before, self._after = (" ".join(part.split()) for part in (before, after))

    def find(self, text: str) -> str | None:
        """The id of the brief of an input; None for traffic."""
        if self._brief is not None:
            return self._brief
        name, _, sample = text.rpartition("/")
        for brief_id in (text, name if sample.isdecimal() else ""):
            if brief_id in self._known:
                return brief_id
        words = " ".join(text.split())
        within = words.removeprefix(self._before).removesuffix(self._after)
        return self._ids.get(text_sha256(words)) or self._ids.get(text_sha256(within))

    def require(self, exchange: Exchange) -> str | None:
        """The id of the brief of an exchange; None for traffic.

        Raises:
            Unreadable: it has no input, or a brief's id that is none of the project's.
        """
        if exchange.input is None and self._brief is None:
            raise Unreadable("has no input")
        text = (exchange.input or "").strip()
        brief_id = self.find(text)
        if brief_id is None and exchange.input_path == "brief" and IDENTIFIER.fullmatch(text):
            hint = nearest(text, self._known)
            raise Unreadable(f'names the brief "{text}", which does not exist{hint}')
        return brief_id


def text_sha256(text: str) -> str:
    r"""The hash by which texts are matched: white space makes no difference, all else does.

    >>> text_sha256("Stay  or go?") == text_sha256(" Stay or\r\ngo?")
    True
    """
    words = " ".join(text.split())
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def content_hash(subject: str, answer: str) -> bytes:
    """What tells answers apart: the brief or the input, and the text of the answer."""
    return hashlib.sha256(canonical([subject, answer])).digest()


def redacted(exchange: Exchange, redactor: Redactor) -> Exchange:
    """An exchange without what must not be written, before its input is matched."""
    model = exchange.stated.get("model")
    stated = exchange.stated
    if isinstance(model, str):
        stated = stated | {"model": redactor.text(model)}
    return replace(
        exchange,
        input=redactor.text(exchange.input) if exchange.input else exchange.input,
        system=clean_text(redactor.text(exchange.system), "a system prompt")
        if (exchange.system or "").strip() and exchange.system
        else None,
        answer=redactor.value(exchange.answer),
        refusal=redactor.text(exchange.refusal) if exchange.refusal else None,
        stated=stated,
    )


def match(exchange: Exchange, matcher: BriefMatcher) -> MatchedAnswer:
    """The line of recorded answers of a redacted exchange.

    Raises:
        Unreadable: it has no input, an input that is no text of a brief, or is too long.
    """
    brief_id = matcher.require(exchange)
    subject = brief_id or clean_text(exchange.input or "", "an input")
    answer = exchange.answer
    text = answer if isinstance(answer, str) else canonical(answer).decode("utf-8")
    record: JsonObject = {"brief" if brief_id else "input": subject}
    if brief_id is None:
        record |= exchange.stated | _form(exchange, text)
        text = traffic_text(record)
    elif exchange.stop or exchange.refusal:
        record |= _unfinished(exchange, text)
    else:
        record |= exchange.stated
        record["text" if isinstance(answer, str) else "graph"] = answer
    raw = line(record)
    if len(raw) > MAX_LINE_BYTES:
        raise Unreadable(f"is longer than {MAX_LINE_BYTES:,} bytes as an answer")
    return MatchedAnswer(brief_id, text, raw, content_hash(subject, text))


def _form(exchange: Exchange, text: str) -> JsonObject:
    """What is kept of an answer to an input that no brief has: its graph, or why there is none."""
    usage = object_of(exchange.stated.get("usage"))
    flat = {key: count for key, count in usage.items() if not isinstance(count, dict)}
    details = [object_of(usage.get(f"{name}_tokens_details")) for name in ("input", "output")]
    graph = ordinary_form(extract(text).parsed)
    status = "success" if graph is not None else "parse_failed"
    if exchange.stop or exchange.refusal:
        is_truncated = exchange.stop == "max_output_tokens" and not exchange.refusal
        status, graph = "truncated" if is_truncated else "refused", None
    return {"usage": flat | details[0] | details[1], "status": status, "graph": graph}


def traffic_text(record: JsonObject) -> str:
    """What tells the answers in lines of traffic apart."""
    return canonical([record.get("status"), record.get("graph")]).decode("utf-8")


def _unfinished(exchange: Exchange, text: str) -> JsonObject:
    """The keys of an answer that was cut off or refused: a body of the Responses API says so."""
    stated = dict(exchange.stated)
    content: JsonObject = {"type": "output_text", "text": text}
    if exchange.refusal:
        content = {"type": "refusal", "refusal": exchange.refusal}
    body: JsonObject = {
        "model": stated.pop("model", None),
        "status": "incomplete" if exchange.stop else "completed",
        "incomplete_details": {"reason": exchange.stop} if exchange.stop else None,
        "output": [{"type": "message", "role": "assistant", "content": [content]}],
        "usage": stated.pop("usage", None),
    }
    return stated | {"body": body}


def clean_text(text: str, noun: str) -> str:
    """A text as a file of the project may hold it; Unreadable says why it is none."""
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not clean:
        raise Unreadable(f"has {noun} that is empty")
    if "\0" in clean:
        raise Unreadable(f"has {noun} with a NUL character")
    try:
        size = len(clean.encode("utf-8"))
    except UnicodeEncodeError:
        raise Unreadable(f"has {noun} with half a surrogate pair") from None
    if size > MAX_TEXT_BYTES:
        raise Unreadable(f"has {noun} of more than {MAX_TEXT_BYTES:,} bytes")
    return clean
