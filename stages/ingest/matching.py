"""Which brief each entry of a log belongs to, and the line of recorded answers that it becomes."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from stages.contracts.json_text import JsonObject, line
from stages.generate.answers.recorded import BadLine, read_recorded_line
from stages.generate.apis.registry import recognize
from stages.generate.recorded_models import MAX_LINE_BYTES
from stages.ingest.exchanges import Exchange, ExchangeReader, Unreadable
from stages.ingest.log_files import LogEntry
from stages.ingest.redacting import Redactor

EntryState = Literal["new", "matched", "doubled", "unreadable", "request", "other provider"]
HASH_DIGITS = 12
MAX_TEXT_BYTES = 1_000_000
"""Of an input, or of a prompt."""


@dataclass(frozen=True, slots=True)
class EntryResult:
    """What an entry became, with its brief and sample, or the reason.

    It is new where its input has no brief, or the brief that this log gave it. `answer` is its line
    of recorded answers, and `body` that of a brief that there is not yet.
    """

    state: EntryState
    detail: str = ""
    answer: bytes = b""
    brief_id: str = ""
    body: str = ""


class Matcher:
    """Matches the entries of one recorded model, in their order.

    `hashes` has `text_sha256` of the briefs that answers may belong to, by id. `system_prompts` has
    the place of the first answer to each, None for answers without one; `providers` and `models`
    have all names in the log.
    """

    def __init__(
        self,
        model_id: str,
        hashes: Mapping[str, str],
        reader: ExchangeReader,
        redactor: Redactor,
        provider: str | None = None,
    ) -> None:
        self.system_prompts: dict[str | None, str] = {}
        self.providers: set[str] = set()
        self.models: set[str] = set()
        self._model_id = model_id
        self._reader = reader
        self._redactor = redactor
        self.provider = provider
        self._hashes = dict(hashes)
        self._ids = {sha256: brief_id for brief_id, sha256 in reversed(self._hashes.items())}
        self._samples: Counter[str] = Counter()
        self._seen: set[bytes] = set()

    def match(self, place: str, entry: LogEntry) -> EntryResult:
        """What the entry at a place becomes."""
        if entry.record is None:
            return EntryResult("unreadable", entry.fault)
        if entry.digest in self._seen:
            return EntryResult("doubled")
        try:
            exchange = self._reader.read(entry.record)
            if exchange is None:
                return EntryResult("request")
            if exchange.provider is not None:
                self.providers.add(exchange.provider)
            if self.provider not in (None, exchange.provider):
                return EntryResult("other provider")
            system = self._redactor.text(exchange.system or "")
            prompt = _clean_text(system, "a system prompt") if system.strip() else None
            result = self._record(exchange)
        except (Unreadable, BadLine) as error:
            return EntryResult("unreadable", str(error))
        self._seen.add(entry.digest)
        self.system_prompts.setdefault(prompt, place)
        return result

    def _record(self, exchange: Exchange) -> EntryResult:
        brief_id, body = self._find_brief(exchange)
        sample = self._samples[brief_id] + 1
        answer: JsonObject = {"brief": brief_id, "sample": sample, **exchange.stated}
        model = exchange.stated.get("model")
        if isinstance(model, str):
            name = self._redactor.text(model)
            self.models.add(name)
            answer["model"] = name
        key = _key_of(exchange)
        answer[key] = self._redactor.value(exchange.output)
        raw = line(answer)
        if len(raw) > MAX_LINE_BYTES:
            raise Unreadable(f"is longer than {MAX_LINE_BYTES:,} bytes as an answer")
        if key == "body" and read_recorded_line(raw).answer is None:
            raise Unreadable("holds an error in place of an answer")
        self._samples[brief_id] = sample
        if body:
            self._add_brief(brief_id, body)
        is_own = brief_id == self._own_id(self._hashes[brief_id])
        state: EntryState = "new" if is_own else "matched"
        return EntryResult(state, f"{brief_id}, sample {sample}", raw, brief_id, body)

    def _find_brief(self, exchange: Exchange) -> tuple[str, str]:
        """The id of the brief of an exchange, and its body where there is no such brief yet."""
        if exchange.brief_id is not None:
            self._check_named_brief(exchange.brief_id, exchange.user)
            return exchange.brief_id, ""
        user = self._redactor.text(exchange.user or "")
        sha256 = text_sha256(user)
        if sha256 in self._ids:
            return self._ids[sha256], ""
        return self._own_id(sha256), _clean_text(user, "an input")

    def _check_named_brief(self, brief_id: str, user: str | None) -> None:
        if brief_id not in self._hashes:
            raise Unreadable("names a brief that does not exist")
        if user is not None and text_sha256(user) != self._hashes[brief_id]:
            raise Unreadable("names a brief whose text is not its input")

    def _add_brief(self, brief_id: str, body: str) -> None:
        sha256 = text_sha256(body)
        self._hashes[brief_id] = sha256
        self._ids[sha256] = brief_id

    def _own_id(self, sha256: str) -> str:
        return f"{self._model_id}-{sha256[:HASH_DIGITS]}"


def text_sha256(text: str) -> str:
    r"""The hash by which texts are matched: white space makes no difference, all else does.

    >>> text_sha256("Stay  or go?") == text_sha256(" Stay or\r\ngo?")
    True
    """
    words = " ".join(text.split())
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def _key_of(exchange: Exchange) -> str:
    """The key of an output in a line of recorded answers."""
    if isinstance(exchange.output, str):
        return "text"
    is_body = isinstance(exchange.output, dict) and recognize(exchange.output) is not None
    return "body" if is_body else "graph"


def _clean_text(text: str, noun: str) -> str:
    """A text as a file of the project may hold it."""
    clean_text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not clean_text:
        raise Unreadable(f"has {noun} that is empty")
    if "\0" in clean_text:
        raise Unreadable(f"has {noun} with a NUL character")
    try:
        size = len(clean_text.encode("utf-8"))
    except UnicodeEncodeError:
        raise Unreadable(f"has {noun} with half a surrogate pair") from None
    if size > MAX_TEXT_BYTES:
        raise Unreadable(f"has {noun} of more than {MAX_TEXT_BYTES:,} bytes")
    return clean_text
