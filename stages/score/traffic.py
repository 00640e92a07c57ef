"""Adapter: answers to inputs that no brief has, which logs gave to recorded models. They are scored
form only: nothing is known about what their graphs should have.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from stages.score.batch import ScoredFile
from stages.score.scorer import Scorer
from stages.shared.records.json_text import JsonValue, line
from stages.shared.records.record import Record
from stages.shared.records.response import Response, Status, Usage
from stages.shared.shell import paths
from stages.shared.shell.files import parse_record

_HASH_DIGITS = 12


class TrafficLine(Record):
    """One line of `answers/ID.traffic.jsonl`: an input, and the graph in the answer to it."""

    input: str
    status: Status
    graph: JsonValue = None
    model: str | None = None
    usage: Usage = Usage()
    latency_ms: float | None = None
    cost_usd: float | None = None
    created_at: str | None = None


def score_traffic(model_ids: Iterable[str], scorer: Scorer) -> Iterator[ScoredFile]:
    """The scorecards of the traffic of these models, marked so; of each answer `brief_id` is made
    of a hash of its input.

    Raises:
        InputError: a line is none of `ingest`.
    """
    for model_id in model_ids:
        file = paths.ANSWERS / f"{model_id}.traffic.jsonl"
        samples: Counter[str] = Counter()
        for number, raw in enumerate(_lines(file), 1):
            traffic = parse_record(raw, TrafficLine, file.as_posix(), f"line {number}")
            digest = hashlib.sha256(" ".join(traffic.input.split()).encode()).hexdigest()
            brief_id = f"traffic-{digest[:_HASH_DIGITS]}"
            samples[brief_id] += 1
            response = Response(
                model_id=model_id,
                brief_id=brief_id,
                sample=samples[brief_id],
                status=traffic.status,
                parsed_graph=traffic.graph,
                usage=traffic.usage,
                latency_ms=traffic.latency_ms,
                est_cost_usd=traffic.cost_usd,
                created_at=traffic.created_at,
                answered_model=traffic.model,
            )
            card = scorer.score(response, traffic=True)
            yield ScoredFile(card.cell, line(card.to_json()))


def _lines(file: Path) -> Iterator[bytes]:
    if file.is_file():
        with file.open("rb") as lines:
            yield from filter(bytes.strip, lines)
