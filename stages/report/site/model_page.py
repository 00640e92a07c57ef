"""A model's page: its figures, its cells, its failures and its settings."""

from collections.abc import Sequence

from stages.contracts.model_config import ModelConfig
from stages.report.cells import Row, rows_of, sub_scores
from stages.report.findings import Findings
from stages.report.site.addresses import model_page, root_of
from stages.report.site.frame import Frame, page
from stages.report.site.table import Column, Entry, Table, cell_table, failure_tables, listing
from stages.shell import numbers


def model_file(frame: Frame, findings: Findings, model: Row, cells: Sequence[Row]) -> tuple[str, bytes]:
    """The path and the content of a model's page; `model` is its row of `findings.models`, `cells` are its rows of the frame of cells."""
    at = model_page(model.model_id)
    failures = [row for row in rows_of(findings.failures) if row.model_id == model.model_id]
    return at, page(
        frame,
        "model.html.j2",
        title=model.name,
        at=at,
        model=model,
        flags=[flag.message for flag in findings.flags if flag.model_id == model.model_id],
        cells=cell_table(cells, "brief", root=root_of(at), caption=f"Cells of {model.name}"),
        subs=_sub_scores(findings, model),
        failures=failure_tables(failures, "code share meaning fix briefs", root=root_of(at)),
        settings=_settings(model.model_id, findings.configs.get(model.model_id)),
    )


def _sub_scores(findings: Findings, model: Row) -> Table:
    models = findings.models
    means = models.loc[models["model_id"] == model.model_id, sub_scores(models)].iloc[0].dropna()
    rows = []
    for key, mean in means.items():
        dimension, _, name = str(key).replace("_", " ").partition(".")
        rows.append((name, Entry(numbers.score(mean), mean), dimension))
    columns = ("Sub-score", Column("Mean", numeric=True), Column("Dimension", choose=True))
    return listing("sub-scores", f"Means over {numbers.counted(model.scored, 'valid graph')}", columns, rows)


def _settings(model_id: str, config: ModelConfig | None) -> Table:
    rows = [("id", model_id)]
    if config is not None:
        sent = config.params.model_dump(exclude_none=True)
        rows += [("provider", config.provider), ("model", config.model)]
        rows += [(key, str(sent[key])) for key in sorted(sent)]
        rows.append(("pricing", config.pricing.source if config.pricing else "published prices"))
    return listing("settings", "How the model was called", ("Setting", "Value"), rows)
