"""What there is to score: a response, what was read of its graph, and what its brief expects."""

import msgspec

from stages.contracts.brief import Expectations
from stages.contracts.graph import GraphReading, read_graph, read_graph_json
from stages.contracts.json_search import find_json
from stages.contracts.response import Response, Status


class Answer(msgspec.Struct, frozen=True, gc=False):
    """A response with its graph read; `reading` is None where there is none, because the status is not `success`.

    The response's own `parsed_graph` is not looked at.
    """

    response: Response
    reading: GraphReading | None
    expectations: Expectations


def parsed_answer(response: Response, expectations: Expectations) -> Answer:
    """The answer of a response whose graph is parsed. Never raises, whatever the graph."""
    reading = read_graph(response.parsed_graph) if response.status == "success" else None
    return Answer(response, reading, expectations)


def text_answer(raw_text: str, response: Response, expectations: Expectations) -> Answer:
    """The answer in a raw text; `response` says what else there is to say about it.

    Its status becomes `success` or, where the text has no JSON or only `null`, `parse_failed`.
    """
    found = find_json(raw_text, _read_unless_null)
    status: Status = "parse_failed" if found.content is None else "success"
    if response.status != status or response.extraction_method != found.method:
        response = msgspec.structs.replace(response, status=status, extraction_method=found.method)
    return Answer(response, found.content, expectations)


def _read_unless_null(text: str) -> GraphReading | None:
    return None if text == "null" else read_graph_json(text)
