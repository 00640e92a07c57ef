"""The files of the site: which model to take, how sure that is, what it costs and what went
wrong.
"""

from collections.abc import Iterator, Mapping, Sequence

from stages.report.columns import CODES, OUTCOMES, cell_columns, content_of, table_of
from stages.report.failures import failures_of
from stages.report.findings import Find, Findings
from stages.report.ranking import BriefResult, Candidate
from stages.report.site.cell import MAX_OTHERS, cell_file, link_to
from stages.report.site.cell_list import CellList
from stages.report.site.glossary import glossary_file
from stages.report.site.overview import overview_file
from stages.report.site.side_by_side import Drafted, side_by_side
from stages.report.site.table import PACKAGE, listing
from stages.report.traffic import traffic_file
from stages.shared.analysis.scored_cell import ScoredCell
from stages.shared.present.page import (
    Frame,
    brief_page,
    cell_page,
    model_page,
    page,
    root_of,
    site_assets,
)
from stages.shared.present.table import Table
from stages.shared.records.brief import Brief, Prompt
from stages.shared.records.graph import read
from stages.shared.records.json_text import canonical
from stages.shared.records.model_config import ModelConfig


def site_files(
    findings: Findings,
    briefs: Mapping[str, Brief],
    find: Find,
    prompt: Prompt | None = None,
    traffic: Sequence[ScoredCell] = (),
) -> Iterator[tuple[str, bytes]]:
    """Every file of the site, one after another: what is yielded can be written and forgotten.

    Relative paths (made from checked ids only) and contents; equal inputs give equal bytes.
    `briefs` are those by id, as far as there are any; `find` reads the scorecard and the response
    of a cell, None when its file is missing; `prompt` is the run's, None where it has changed;
    `traffic` has pages of its own.

    Raises:
        UnsafeId: an id in the findings cannot be a file name.
    """
    run = findings.run
    frame = Frame(run.run_id, run.prompt.path, run.tool_version, findings.notices, bool(traffic))
    yield from site_assets().items()
    if prompt:
        yield "prompt.js", b"window.PROMPT = " + canonical(prompt.text) + b";\n"
    yield overview_file(frame, findings)
    yield glossary_file(frame)
    if traffic:
        yield traffic_file(frame, traffic, findings.names)
    for model in findings.models:
        yield _model_file(frame, findings, model)
    for candidate in findings.candidates:
        if candidate.is_policy:
            yield _policy_file(frame, findings, candidate)
    cell_list = CellList()
    names = findings.names
    for result in findings.briefs:
        text = briefs.get(result.brief_id)
        yield _brief_file(frame, result, text, names, find)
        first = result.cells[: MAX_OTHERS + 1]
        links = [link_to(cell, names[cell.model_id]) for cell in first]
        for cell in result.cells:
            card, response = find(cell.cell)
            cell_list.add(cell, card, response)
            name = names[cell.model_id]
            yield cell_file(
                frame, cell, name, card, response, brief=text, of_brief=links, prompt=prompt
            )
    yield from cell_list.files(frame, findings)


def _model_file(frame: Frame, findings: Findings, model: Candidate) -> tuple[str, bytes]:
    at = model_page(model.id)
    root = root_of(at)
    failures = failures_of(model.cells, findings.names, model=model.id)
    failed = table_of(failures, CODES, title="Failures", name="failures", root=root)
    return at, page(
        frame,
        "model.html.j2",
        package=PACKAGE,
        title=model.name,
        at=at,
        model=model,
        summary=model.summary,
        content_of=content_of,
        flags=[note.message for note in findings.notes if note.model_id == model.id],
        cells=table_of(
            model.cells,
            cell_columns(findings.names, of_brief=False),
            title=f"Cells of {model.name}",
            name="cells",
            root=root,
        ),
        failures=[failed] if failures else [],
        outcomes=OUTCOMES,
        settings=_settings(model.id, findings.configs.get(model.id)),
    )


def _policy_file(frame: Frame, findings: Findings, candidate: Candidate) -> tuple[str, bytes]:
    at = model_page(candidate.id)
    return at, page(
        frame,
        "policy.html.j2",
        package=PACKAGE,
        title=candidate.name,
        at=at,
        model=candidate,
        summary=candidate.summary,
        content_of=content_of,
        names=findings.names,
        flags=[note.message for note in findings.notes if note.model_id == candidate.id],
    )


def _settings(model_id: str, config: ModelConfig | None) -> Table:
    rows = [("id", model_id)]
    if config is not None:
        settings = config.params.model_dump(exclude_none=True)
        rows += [("provider", config.provider), ("model", config.model)]
        rows += [(key, str(settings[key])) for key in sorted(settings)]
        rows.append(("pricing", config.pricing.source if config.pricing else "published prices"))
    return listing("settings", "How the model was called", ("Setting", "Value"), rows)


def _brief_file(
    frame: Frame, result: BriefResult, brief: Brief | None, names: Mapping[str, str], find: Find
) -> tuple[str, bytes]:
    at = brief_page(result.brief_id)
    root = root_of(at)
    drafts = list(_best_graphs(result, names, root, find))
    pair = side_by_side(*drafts) if len(drafts) == 2 else None
    return at, page(
        frame,
        "brief.html.j2",
        package=PACKAGE,
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
        outcomes=OUTCOMES,
        graph_pair=pair,
    )


def _best_graphs(
    result: BriefResult, names: Mapping[str, str], root: str, find: Find
) -> Iterator[Drafted]:
    """The best graphs of the two best models, as far as there are any."""
    with_graph = [cell for cell in result.cells if cell.status == "success"]
    best: dict[str, ScoredCell] = {}
    for cell in sorted(with_graph, key=lambda cell: -(cell.expected_score or 0.0)):
        best.setdefault(cell.model_id, cell)
    for cell in list(best.values())[:2]:
        _, response = find(cell.cell)
        graph, _ = read(response.answer.graph if response else None)
        if graph.nodes:
            yield Drafted(names[cell.model_id], root + cell_page(cell.cell), graph)
