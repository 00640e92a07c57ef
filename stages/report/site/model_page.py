"""A model's page: its figures, its cells, its failures and its settings."""

from collections.abc import Sequence

import pandas as pd

from stages.contracts.model_config import ModelConfig
from stages.report.cells import Row, rows_of, sub_scores
from stages.report.findings import Findings
from stages.report.site.addresses import model_page, root_of
from stages.report.site.frame import Frame, page
from stages.report.site.table import Column, Entry, Fact, Table, cell_table, failure_tables
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
        lede=_lede(model),
        facts_shown=_facts(model),
        flags=[flag.message for flag in findings.flags if flag.model_id == model.model_id],
        cells=cell_table(cells, "brief", root=root_of(at), caption=f"Cells of {model.name}"),
        subs=_sub_scores(findings.models, model),
        failures=failure_tables(failures, "code share meaning fix briefs", root=root_of(at)),
        settings=_settings(model.model_id, findings.configs.get(model.model_id)),
    )


def unpriced(cells: int) -> str:
    """A note on answers whose cost is not known; empty when there is none."""
    return f"and {numbers.counted(cells, 'answer')} without a price" if cells else ""


def _lede(model: Row) -> str:
    rank = numbers.count(model.rank)
    place = "Without a rank" if rank == numbers.MISSING else f"Rank {rank}"
    mode = f"candidate for {model.target_mode} mode" if model.target_mode else "without a model config"
    return f"{place}, {'simulated, ' if model.simulated else ''}{mode}."


def _facts(model: Row) -> tuple[Fact, ...]:
    expected = f"{numbers.interval(model.expected_low, model.expected_high)}, n = {numbers.count(model.expected_n)}"
    overall = f"{numbers.interval(model.overall_low, model.overall_high)}, n = {numbers.count(model.overall_n)}"
    saved = "" if pd.isna(model.cache_saved_usd) else f"saved {numbers.money(model.cache_saved_usd)}"
    usable = f"{numbers.count(model.usable)} of {numbers.count(model.cells)}"
    return (
        ("Expected score", numbers.score(model.expected_score), expected),
        ("Usable graphs only", numbers.score(model.overall_mean), overall),
        ("Usable graphs", numbers.share(model.usable_share), usable),
        ("Cost per usable graph", numbers.money(model.cost_per_usable_usd), ""),
        ("Cost", numbers.money(model.cost_usd), unpriced(model.cost_unknown)),
        ("Latency, median", numbers.duration(model.latency_p50_ms), f"p95 {numbers.duration(model.latency_p95_ms)}"),
        ("Output tokens, mean", numbers.tokens(model.output_tokens_mean), "reasoning included"),
        ("Read from the cache", numbers.share(model.cached_share), saved),
        ("Edges at default values", numbers.share(model.default_share), "of causal edges, on average"),
        ("Spread of samples", numbers.score(model.spread_samples), f"of briefs {numbers.score(model.spread_briefs)}"),
    )


def _sub_scores(models: pd.DataFrame, model: Row) -> Table:
    means = models.loc[models["model_id"] == model.model_id, sub_scores(models)].iloc[0].dropna()
    rows = []
    for key, mean in means.items():
        dimension, _, name = str(key).replace("_", " ").partition(".")
        rows.append((Entry(name), Entry(numbers.score(mean), mean), Entry(dimension)))
    columns = (Column("Sub-score"), Column("Mean", numeric=True), Column("Dimension", choose=True))
    return Table("sub-scores", f"Means over {numbers.counted(model.usable, 'usable graph')}", columns, rows)


def _settings(model_id: str, config: ModelConfig | None) -> Table:
    rows = [("id", model_id)]
    if config is not None:
        sent = config.params.model_dump(exclude_none=True)
        rows += [
            ("provider", config.provider),
            ("model", config.model),
            *((key, str(sent[key])) for key in sorted(sent)),
        ]
        rows.append(("pricing", config.pricing.source if config.pricing else "published prices"))
    columns = (Column("Setting"), Column("Value"))
    entries = [(Entry(key), Entry(value)) for key, value in rows]
    return Table("settings", "How the model was called", columns, entries)
