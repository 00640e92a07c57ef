"""The files of the site: which model to take, how sure that is, what it costs and what went
wrong.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter

import pandas as pd

from stages.report.cells import Find, sub_scores
from stages.report.columns import MODELS, OUTCOMES, failure_tables
from stages.report.findings import Findings
from stages.report.policies import LIMITS, PolicyResult, rule_text, steps_table
from stages.report.rows import (
    BriefRow,
    CellRow,
    ModelRow,
    brief_rows,
    cell_of,
    cell_rows,
    model_rows,
    models_by_id,
)
from stages.report.site.cell import MAX_OTHERS, cell_file, link_to
from stages.report.site.cell_list import CellList
from stages.report.site.glossary import glossary_file
from stages.report.site.overview import overview_file
from stages.report.site.side_by_side import Drafted, side_by_side
from stages.report.site.table import PACKAGE, cell_table, listing
from stages.report.traffic import Traffic
from stages.shared.present.page import (
    Frame,
    brief_page,
    cell_page,
    model_page,
    page,
    root_of,
    site_assets,
)
from stages.shared.present.table import Column, Section, Table
from stages.shared.records.brief import Brief, Prompt
from stages.shared.records.graph import read
from stages.shared.records.json_text import canonical
from stages.shared.records.model_config import ModelConfig
from stages.shared.shell import numbers

MAX_CELLS_IN_MEMORY = 100
"""Scorecards and responses of a brief that are read once for its page and for their own."""


def site_files(
    findings: Findings,
    briefs: Mapping[str, Brief],
    find: Find,
    prompt: Prompt | None = None,
    traffic: Traffic | None = None,
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
    has_traffic = traffic is not None and bool(traffic.models)
    frame = Frame(run.run_id, run.prompt.path, run.tool_version, findings.notices, has_traffic)
    cells = findings.cells
    yield from site_assets().items()
    if prompt:
        yield "prompt.js", b"window.PROMPT = " + canonical(prompt.text) + b";\n"
    yield overview_file(frame, findings)
    yield glossary_file(frame)
    if traffic is not None and has_traffic:
        yield traffic.file(frame, findings.names)
    by_model = cells.groupby("model_id")
    for model in model_rows(findings.models):
        yield _model_file(frame, findings, model, by_model.get_group(model.model_id))
    rows_by_id = models_by_id(findings.candidates)
    for result in findings.policies:
        yield _policy_file(frame, findings, rows_by_id[result.policy.id], result)
    by_brief = cells.groupby("brief_id")
    in_briefs = cell_rows(cells.sort_values("brief_id", kind="stable"))
    rows_by_brief = groupby(in_briefs, key=attrgetter("brief_id"))
    cell_list = CellList()
    for brief, (_, of_rows) in zip(brief_rows(findings.briefs), rows_by_brief, strict=True):
        find_once = lru_cache(MAX_CELLS_IN_MEMORY)(find)
        of_brief, rows = by_brief.get_group(brief.brief_id), list(of_rows)
        text = briefs.get(brief.brief_id)
        yield _brief_file(frame, brief, text, of_brief, rows, find_once)
        links = [link_to(row) for row in rows[: MAX_OTHERS + 1]]
        for row in rows:
            card, response = find_once(cell_of(row))
            cell_list.add(row, card, response)
            yield cell_file(frame, row, card, response, brief=text, of_brief=links, prompt=prompt)
    yield from cell_list.files(frame, findings)


def _model_file(
    frame: Frame, findings: Findings, model: ModelRow, cells: pd.DataFrame
) -> tuple[str, bytes]:
    at = model_page(model.model_id)
    root = root_of(at)
    failures = findings.failures[findings.failures["model_id"] == model.model_id]
    return at, page(
        frame,
        "model.html.j2",
        package=PACKAGE,
        title=model.name,
        at=at,
        model=model,
        flags=[flag.message for flag in findings.flags if flag.model_id == model.model_id],
        cells=cell_table(cells, "brief", root=root, title=f"Cells of {model.name}"),
        subs=_sub_scores(findings.models, model),
        failures=list(
            failure_tables(failures, "failure_of_model code share meaning fix briefs", root=root)
        ),
        outcomes=OUTCOMES,
        settings=_settings(model.model_id, findings.configs.get(model.model_id)),
    )


def _policy_file(
    frame: Frame, findings: Findings, row: ModelRow, result: PolicyResult
) -> tuple[str, bytes]:
    at = model_page(row.model_id)
    table = steps_table([result], findings.names, root_of(at))
    return at, page(
        frame,
        "policy.html.j2",
        package=PACKAGE,
        title=row.name,
        at=at,
        model=row,
        runs=len(result.briefs),
        rule=rule_text(result.policy),
        limits=LIMITS,
        flags=[flag.message for flag in findings.flags if flag.model_id == row.model_id],
        sections=[Section(table.name, table.title, tables=[table])],
    )


def _sub_scores(models: pd.DataFrame, model: ModelRow) -> Table:
    columns = (
        Column("Sub-score"),
        Column("Mean", numbers.score),
        Column("Dimension", choose=True),
    )
    row = models.loc[models["model_id"] == model.model_id, sub_scores(models)].iloc[0]
    rows = []
    for key, mean in row.dropna().items():
        dimension, _, name = str(key).partition(".")
        rows.append((name.replace("_", " "), float(mean), MODELS[dimension].title))
    title = f"Means over {numbers.counted(model.scored, 'valid graph')}"
    return listing("sub-scores", title, columns, rows)


def _settings(model_id: str, config: ModelConfig | None) -> Table:
    rows = [("id", model_id)]
    if config is not None:
        settings = config.params.model_dump(exclude_none=True)
        rows += [("provider", config.provider), ("model", config.model)]
        rows += [(key, str(settings[key])) for key in sorted(settings)]
        rows.append(("pricing", config.pricing.source if config.pricing else "published prices"))
    return listing("settings", "How the model was called", ("Setting", "Value"), rows)


def _brief_file(
    frame: Frame,
    row: BriefRow,
    brief: Brief | None,
    cells: pd.DataFrame,
    rows: Sequence[CellRow],
    find: Find,
) -> tuple[str, bytes]:
    at = brief_page(row.brief_id)
    root = root_of(at)
    with_graph = [cell for cell in rows if cell.status == "success"]
    best: dict[str, CellRow] = {}
    for cell in sorted(with_graph, key=lambda cell: -cell.expected_score):
        best.setdefault(cell.model_id, cell)
    drafts = list(_drafts(list(best.values())[:2], root, find))
    pairs = []
    if len(drafts) == 2:
        title = f"{drafts[0].name} and {drafts[1].name}"
        pairs.append(side_by_side(title, drafts[0], drafts[1]))
    return at, page(
        frame,
        "brief.html.j2",
        package=PACKAGE,
        title=row.brief_id,
        at=at,
        row=row,
        models=cells["model_id"].nunique(),
        brief=brief,
        cells=cell_table(cells, "name", root=root, title=f"Cells of {row.brief_id}"),
        outcomes=OUTCOMES,
        drafts=drafts,
        with_graph=len(best),
        pairs=pairs,
    )


def _drafts(cells: Iterable[CellRow], root: str, find: Find) -> Iterator[Drafted]:
    """The graphs of the cells that have one."""
    for row in cells:
        _, response = find(cell_of(row))
        graph, _ = read(response.parsed_graph if response else None)
        if graph.nodes:
            yield Drafted(row.name, root + cell_page(cell_of(row)), graph)
