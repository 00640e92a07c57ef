"""The files of the site: which model to take, how sure that is, what it costs and what went
wrong.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from graph_evaluator.present.page import (
    Frame,
    brief_page,
    cell_page,
    cells_link,
    model_page,
    root_of,
    site_assets,
)
from graph_evaluator.present.table import listing
from graph_evaluator.records.brief import Brief
from graph_evaluator.records.graph import read
from graph_evaluator.records.scorecard import ScoredCell
from graph_evaluator.report.choices import options_table
from graph_evaluator.report.columns import (
    OUTCOMES,
    cell_columns,
    code_columns,
    content_of,
    table_of,
)
from graph_evaluator.report.drawing.sketch import MAX_NODES
from graph_evaluator.report.findings import Findings, ReadCell
from graph_evaluator.report.ranking import BriefResult, Candidate, failures_of
from graph_evaluator.report.site import site_page
from graph_evaluator.report.site.cell import cell_file, cell_list_files, link_to
from graph_evaluator.report.site.overview import glossary_file, overview_file
from graph_evaluator.report.site.side_by_side import Drafted, side_by_side

SIMULATED = "This model is simulated: it shows how the tool works, not how real models answer."
MAX_OTHERS = 60
"""Links to other cells of the brief at most; the brief's page has all."""


def site_files(
    findings: Findings,
    briefs: Mapping[str, Brief],
    read_cell: ReadCell,
) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, one after another: what is yielded can be written and forgotten.

    Relative paths (made from checked ids only) and contents; equal inputs give equal bytes.
    `briefs` are those by id, as far as there are any; `read_cell` gives the scorecard and the
    response of a cell, None when its file is missing.

    Raises:
        UnsafeId: an id in the findings cannot be a file name.
    """
    run, names = findings.run, findings.names
    frame = Frame(run.run_id, run.prompt.path, run.tool_version)
    yield from site_assets().items()
    yield overview_file(replace(frame, notices=findings.notices), findings)
    yield glossary_file(frame)
    for model in findings.candidates:
        of_model = replace(frame, notices=_notices_of(model.summary.simulated))
        yield _model_file(of_model, findings, model)
    for result in findings.briefs:
        brief = briefs.get(result.brief_id)
        yield _brief_file(frame, findings, result, brief, read_cell)
        links = [link_to(cell, names[cell.model_id]) for cell in result.cells[: MAX_OTHERS + 1]]
        for cell in result.cells:
            card, response = read_cell(cell.cell)
            name, text = names[cell.model_id], brief.body if brief else ""
            of_cell = replace(frame, notices=_notices_of(cell.cost.simulated))
            yield cell_file(of_cell, cell, name, card, response, brief=text, of_brief=links)
    yield from cell_list_files(frame, findings)


def _notices_of(is_simulated: bool) -> tuple[str, ...]:
    return (SIMULATED,) if is_simulated else ()


def _model_file(frame: Frame, findings: Findings, model: Candidate) -> tuple[str, bytes]:
    """The page of a model."""
    at = model_page(model.id)
    root, config = root_of(at), model.config
    failures = failures_of(model.cells, findings.names)
    columns = code_columns(lambda failed: cells_link(model=model.id, code=failed.code))
    settings = {"id": model.id}
    if config is not None:
        called = config.params.model_dump(exclude_none=True)
        pricing = config.pricing.source if config.pricing else "published prices"
        settings |= {"provider": config.provider, "model": config.model, **called}
        settings |= {"pricing": pricing}
    return at, site_page(
        frame,
        "model.html.j2",
        title=model.name,
        at=at,
        model=model,
        summary=model.summary,
        content_of=content_of,
        names=findings.names,
        flags=[note.message for note in findings.notes if note.model_id == model.id],
        cells=table_of(
            model.cells,
            cell_columns(findings.names, of_brief=False),
            title=f"Cells of {model.name}",
            name="cells",
            root=root,
        ),
        failures=table_of(failures, columns, title="Failures", name="failures", root=root),
        outcomes=OUTCOMES,
        settings=listing(
            "settings",
            "How the model was called",
            ("Setting", "Value"),
            [(name, str(value)) for name, value in settings.items()],
        ),
    )


def _brief_file(
    frame: Frame, findings: Findings, result: BriefResult, brief: Brief | None, read_cell: ReadCell
) -> tuple[str, bytes]:
    names, candidates = findings.names, findings.candidates
    at = brief_page(result.brief_id)
    root = root_of(at)
    drafts = list(_best_graphs(result, names, root, read_cell))
    pair = side_by_side(*drafts) if len(drafts) == 2 else None
    return at, site_page(
        frame,
        "brief.html.j2",
        title=result.brief_id,
        at=at,
        row=result,
        summary=result.summary,
        models=len(result.scores),
        brief=brief,
        cells=table_of(
            result.cells,
            cell_columns(names, of_brief=True),
            title=f"Cells of {result.brief_id}",
            name="cells",
            root=root,
        ),
        options=options_table(result, candidates),
        outcomes=OUTCOMES,
        graph_pair=pair,
    )


def _best_graphs(
    result: BriefResult, names: Mapping[str, str], root: str, read_cell: ReadCell
) -> Iterator[Drafted]:
    """The best graphs of the two best models, as far as there are any."""
    with_graph = [cell for cell in result.cells if cell.status == "success"]
    best: dict[str, ScoredCell] = {}
    for cell in sorted(with_graph, key=lambda cell: -(cell.expected_score or 0.0)):
        best.setdefault(cell.model_id, cell)
    for cell in list(best.values())[:2]:
        _, response = read_cell(cell.cell)
        graph, _ = read(response.answer.graph if response else None)
        if 0 < len(graph.nodes) <= MAX_NODES:
            yield Drafted(names[cell.model_id], root + cell_page(cell.cell), graph)
