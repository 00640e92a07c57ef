"""Responses for tests."""

from graph_evaluator.records.response import Cell, Response


def response(cell=Cell("m", "b", 1), **keys) -> Response:  # noqa: B008 - it is frozen
    """The response that a file with these keys holds; a success unless they say otherwise."""
    about = {"model_id": cell.model_id, "brief_id": cell.brief_id, "sample": cell.sample}
    return Response.model_validate({"status": "success"} | about | keys)
