"""The tables below `results/plots/` that `dvc plots` draws and compares between revisions."""

from collections import Counter
from collections.abc import Iterator, Mapping

from stages.report.csv_text import CsvValue, csv_text, four_decimals, plain_number
from stages.report.digest import Digest


def plots(digest: Digest) -> Mapping[str, bytes]:
    """The files by name. A row is left out where it has nothing to show; scores have four decimals."""
    return {
        "cells.csv": _cells(digest),
        "models.csv": _models(digest),
        "sub_scores.csv": _sub_scores(digest),
        "violations.csv": _violations(digest),
    }


def _cells(digest: Digest) -> bytes:
    header = ["model", "brief", "sample", "target_mode", "complexity", "status", "overall_score", "expected_score",
              "cost_usd", "latency_s"]  # fmt: skip
    rows = (
        [
            cell.model_id, cell.brief_id, cell.sample, cell.target_mode, cell.complexity, cell.status,
            four_decimals(cell.overall_score), four_decimals(cell.expected_score), plain_number(cell.est_cost_usd, 10),
            plain_number(cell.latency_ms / 1000 if cell.latency_ms is not None else None, 3),
        ]
        for cell in digest.cells
    )  # fmt: skip
    return csv_text(header, rows)


def _models(digest: Digest) -> bytes:
    header = ["model", "target_mode", "cells", "scored", "valid_share", "expected_score", "expected_low", "expected_high",
              "overall_score", "cost_usd", "cost_per_valid_usd", "latency_s_p50", "latency_s_p95"]  # fmt: skip
    rows = (
        [
            one.model_id, one.target_mode, one.counts.cells, one.counts.scored, four_decimals(one.counts.valid_share),
            four_decimals(one.expected.mean), four_decimals(one.expected.low), four_decimals(one.expected.high),
            four_decimals(one.overall_mean), plain_number(one.usage.cost_usd, 10),
            plain_number(one.usage.cost_per_valid_usd, 10), _seconds(one.usage.latency_ms_p50),
            _seconds(one.usage.latency_ms_p95),
        ]
        for one in digest.leaderboard.standings
    )  # fmt: skip
    return csv_text(header, rows)


def _sub_scores(digest: Digest) -> bytes:
    rows: Iterator[list[CsvValue]] = (
        [one.model_id, *name.split(".", 1), four_decimals(value), one.counts.scored]
        for one in digest.leaderboard.standings
        for name, value in one.sub_scores.items()
    )
    return csv_text(["model", "dimension", "sub_score", "mean", "scored"], rows)


def _violations(digest: Digest) -> bytes:
    by_code = Counter({(failure.model_id, failure.code): failure.cells for failure in digest.failures})
    rows: Iterator[list[CsvValue]] = (
        [model, code, cells]
        for (model, code), cells in sorted(by_code.items(), key=lambda pair: (pair[0][1], pair[0][0]))
    )
    return csv_text(["model", "code", "cells"], rows)


def _seconds(milliseconds: float | None) -> str:
    return plain_number(None if milliseconds is None else milliseconds / 1000, 3)
