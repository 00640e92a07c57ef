"""The site: a page for every model, brief and answer, and an overview; no network, no server."""

from dataclasses import dataclass
from functools import cached_property, partial

from graph_evaluator.present.page import page
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.response import Response
from graph_evaluator.records.scorecard import Scorecard

site_page = partial(page, package=__name__)
"""A page by a template of the site."""


@dataclass(frozen=True)
class ReadAnswer:
    """An answer with its evidence, by the model of this name; `response` is None where its file is
    missing.
    """

    model: str
    card: Scorecard
    response: Response | None

    @property
    def name(self) -> str:
        """The name of its model, with the sample from the second one on."""
        sample = self.card.sample
        return f"{self.model}, sample {sample}" if sample > 1 else self.model

    @cached_property
    def graph(self) -> DraftGraph:
        """Its graph, an empty one where it has none."""
        answer = self.response.answer if self.response else None
        return read(answer.graph if answer and answer.status == "success" else None)[0]
