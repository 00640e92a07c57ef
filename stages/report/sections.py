"""The sections that the summary and the overview share: models, policies, briefs, failures,
and reviews.
"""

from collections.abc import Iterator

from stages.report.agreement import agreement_section
from stages.report.columns import BRIEFS, FAILURES, failure_tables
from stages.report.failures import warnings_by_code
from stages.report.findings import RANKING_NOTE, Findings
from stages.report.policies import policies_section
from stages.report.ranking import unchecked_briefs
from stages.report.tables import table_of
from stages.shared.present.table import Section, Table
from stages.shared.shell import numbers as show

LEADERBOARD = "name score interval usable cost_per_usable p50 p95 rank mode content unchecked"
"""The columns of the leaderboard, everywhere."""
MAX_BRIEFS = 120
UNCHECKED = (
    "The words of these usable graphs could not be compared with those of their brief: the graphs "
    "count, and did not pass. Their signs and numbers were checked, and what the front-matter "
    "states: target and options at any length, effects in the brief's language. Words can "
    "be compared in a brief of 30 to 400 words."
)


def leaderboard(findings: Findings, shown: str, root: str | None = None) -> Table:
    """The models and policies by rank."""
    return table_of(
        findings.candidates,
        findings.model_fields,
        shown,
        title="Leaderboard",
        name="leaderboard",
        root=root,
    )


def sections(findings: Findings, root: str | None = None) -> Iterator[Section]:
    """All sections that have something to show; `root` is as for `tables.table_of`."""
    yield _models(findings, root)
    if findings.policies:
        yield policies_section(findings.policies, findings.names, root)
    yield _briefs(findings, root)
    yield _failed(findings, root)
    unchecked = table_of(
        unchecked_briefs(findings.cells),
        BRIEFS,
        "brief unchecked usable_count reason",
        title="Graphs that were not checked",
        name="unchecked",
        root=root,
    )
    if unchecked.rows:
        yield Section("unchecked", unchecked.title, [UNCHECKED], [unchecked])
    if findings.reviews:
        cells, confidence = findings.cells, findings.compare.confidence
        yield agreement_section(findings.reviews, cells, confidence)


def _models(findings: Findings, root: str | None) -> Section:
    other = "Overall is the mean over valid graphs only."
    level = show.share(findings.compare.confidence)
    spread = (
        "Means over the n valid graphs. Spreads are standard deviations of the expected score: "
        "between the samples of one brief (needs two or more), and between briefs with the "
        "samples' share taken out."
    )
    dimensions = table_of(
        findings.candidates,
        findings.model_fields,
        "name graphs param_quality option_diff completeness defaults spread_samples spread_briefs",
        title="Dimensions and spread",
        name="dimensions",
        notes=[spread],
        root=root,
    )
    tokens = table_of(
        findings.candidates,
        findings.model_fields,
        "name calls input cached saved output reasoning output_mean",
        title="Tokens and the prompt cache",
        name="tokens",
        root=root,
    )
    return Section(
        "models",
        "Leaderboard",
        [f"{RANKING_NOTE} The interval is {level} over briefs. {other}"],
        [leaderboard(findings, f"{LEADERBOARD} briefs overall unanswered cost", root)],
        [dimensions, tokens],
    )


def _briefs(findings: Findings, root: str | None) -> Section:
    briefs, title = findings.briefs, "Briefs, with the models that did best and worst on them"
    if len(briefs) > MAX_BRIEFS:
        briefs = briefs.sort_values(["expected_score", "brief_id"]).head(MAX_BRIEFS)
        title += f", the {MAX_BRIEFS} with the lowest scores"
    table = table_of(
        briefs,
        BRIEFS,
        "brief expected complexity usable overall best worst gap",
        title=title,
        name="briefs",
        root=root,
    )
    return Section("by-brief", "By brief", (), [table])


def _failed(findings: Findings, root: str | None) -> Section:
    shares = findings.cells["default_share"]
    texts = ["No valid graph has causal edges with parameters."]
    if shares.count():
        texts = [
            f"On average {show.share(shares.mean())} of the causal edges were left at the default "
            f"parameters (default takeover, over {show.counted(shares.count(), 'valid graph')})."
        ]
    if findings.codes.empty:
        texts.insert(0, "Nothing failed: every cell has a usable graph.")
    shown = "failure code share models meaning fix"
    tables = [*failure_tables(findings.codes, shown, name="codes", root=root)]
    warnings = table_of(
        warnings_by_code(findings.cells).assign(look="warn"),
        FAILURES,
        "warning code cells meaning fix",
        title="Warnings, which change no score",
        name="warnings",
        root=root,
    )
    if warnings.rows:
        tables.append(warnings)
    outcomes = table_of(
        findings.models,
        findings.model_fields,
        "name cells invalid unfaithful parse_failed truncated refused unanswered unchecked",
        title="Outcomes by model",
        name="outcomes",
        root=root,
    )
    return Section("failed", "What failed and why", texts, tables, [outcomes])
