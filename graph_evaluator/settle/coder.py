"""Adapter: has the labels of new answers coded by a model, within the budget of a settlement."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graph_evaluator.briefs.model_work import (
    answers_by_text,
    cells_asked,
    requests_to_code,
    write_codes,
)
from graph_evaluator.briefs.questions import CODING_INSTRUCTIONS
from graph_evaluator.generate.calls.faults import Fault
from graph_evaluator.generate.fetching import Fetcher
from graph_evaluator.generate.plan.call import PlannedModel
from graph_evaluator.records.brief import Brief
from graph_evaluator.records.graph import DraftGraph, read
from graph_evaluator.records.response import Response
from graph_evaluator.shell.inputs import load_briefs, load_codebooks


@dataclass(frozen=True, slots=True)
class Coder:
    """The model that codes, and the briefs whose labels it codes: those without exact names."""

    model: PlannedModel
    briefs: Sequence[Brief]

    def code(self, responses: Iterable[Response], fetcher: Fetcher) -> Sequence[Fault]:
        """Have the labels of graphs coded that have no code, twice, and write to the codebooks what
        both answers agree on; why answers are missing.
        """
        codebooks = load_codebooks(load_briefs())
        graphs: defaultdict[str, list[DraftGraph]] = defaultdict(list)
        for response in responses:
            if response.answer.graph is not None:
                graph, _ = read(response.answer.graph)
                graphs[response.cell.brief_id].append(graph)
        briefs = [brief for brief in self.briefs if not brief.expectations.exact_names]
        requests = requests_to_code(briefs, codebooks, graphs)
        cells = cells_asked(self.model, CODING_INSTRUCTIONS, requests, times=2)
        faults = fetcher.fetch(cells)
        if not faults:
            answers = answers_by_text(requests, cells, fetcher.ledger)
            write_codes(requests, answers, codebooks, self.model.config.id)
        return list(faults.values())
