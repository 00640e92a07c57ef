"""A model's page: how it stands, cell by cell, what its failures were, and its settings."""

from collections.abc import Sequence

from stages.report import number_formats as show
from stages.report.cells import CellResult
from stages.report.digest import Digest
from stages.report.leaderboard import Standing
from stages.report.site.addresses import model_page, root_of
from stages.report.site.cards import Fact
from stages.report.site.cell_rows import cell_table
from stages.report.site.entries import measured
from stages.report.site.evidence import Page
from stages.report.site.failure_rows import failure_table
from stages.report.site.frame import Frame, page
from stages.report.site.table import Column, Entry, Table
from stages.report.visible_text import cut, visible


def model_file(frame: Frame, digest: Digest, standing: Standing, cells: Sequence[CellResult]) -> Page:
    """The page of one model; `cells` are its cells."""
    at = model_page(standing.model_id)
    root = root_of(at)
    names = {standing.model_id: standing.display_name}
    failures = [failure for failure in digest.failures if failure.model_id == standing.model_id]
    content: dict[str, object] = {
        "lede": _lede(standing),
        "facts": _facts(standing),
        "flags": [flag.message for flag in digest.flags if flag.model_id == standing.model_id],
        "cells": cell_table(cells, root=root, by="Brief", names=names, caption=f"Cells of {standing.display_name}"),
        "subs": _sub_scores(standing),
        "failures": failure_table(failures, root=root, names=names),
        "settings": _settings(digest, standing),
    }
    return page(frame, "model", at, standing.display_name, (), content)


def _lede(standing: Standing) -> str:
    place = f"Rank {standing.rank}" if standing.rank is not None else "Without a rank"
    mode = f"candidate for {standing.target_mode} mode" if standing.target_mode else "without a model config"
    kind = "simulated, " if standing.simulated else ""
    return f"{place}, {kind}{mode}."


def _facts(standing: Standing) -> tuple[Fact, ...]:
    counts, usage, spread = standing.counts, standing.usage, standing.spread
    expected, overall = standing.expected, standing.overall
    saved = f"saved {show.money(usage.cache_saved_usd)}" if usage.cache_saved_usd is not None else ""
    unknown = f"and {show.count(usage.cost_unknown)} answers without a price" if usage.cost_unknown else ""
    return (
        ("Expected score", show.score(expected.mean), f"{show.span(expected.low, expected.high)}, n = {expected.n}"),
        ("Valid graphs only", show.score(overall.mean), f"{show.span(overall.low, overall.high)}, n = {overall.n}"),
        ("Valid graphs", show.share(counts.valid_share), f"{show.count(counts.scored)} of {show.count(counts.cells)}"),
        ("Cost per valid graph", show.money(usage.cost_per_valid_usd), ""),
        ("Cost", show.money(usage.cost_usd), unknown),
        ("Latency, median", show.duration(usage.latency_ms_p50), f"p95 {show.duration(usage.latency_ms_p95)}"),
        ("Output tokens, mean", show.tokens(usage.output_tokens_mean), "reasoning included"),
        ("Read from the cache", show.share(usage.cached_share), saved),
        ("Edges at default values", show.share(standing.default_share), "of causal edges, on average"),
        ("Spread between samples", show.score(spread.samples), f"between briefs {show.score(spread.briefs)}"),
    )


def _sub_scores(standing: Standing) -> Table:
    columns = (Column("Sub-score"), Column("Dimension", choose=True), Column("Mean", numeric=True))
    keys = [(*key.partition("."), value) for key, value in standing.sub_scores.items()]
    rows = tuple(
        (Entry(_words(name)), Entry(_words(dimension)), measured(value, show.score))
        for dimension, _, name, value in keys
    )
    return Table("sub-scores", f"Means over {show.count(standing.counts.scored)} valid graphs", columns, rows)


def _settings(digest: Digest, standing: Standing) -> Table:
    facts = digest.models.get(standing.model_id)
    rows = [(Entry("id"), Entry(standing.model_id))]
    if facts is not None:
        rows += [
            (Entry("provider"), Entry(facts.provider)),
            (Entry("model"), Entry(facts.model)),
            *((Entry(key), Entry(value)) for key, value in facts.settings),
            (Entry("pricing"), Entry(facts.pricing_source or "published prices")),
        ]
    return Table("settings", "How the model was called", (Column("Setting"), Column("Value")), tuple(rows))


def _words(name: str) -> str:
    return cut(visible(name).replace("_", " "), 80)
