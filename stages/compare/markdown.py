"""The comparison as Markdown: the verdict first, what moved collapsed. Names are shown as code, so nothing in them is markup."""

import re
from collections.abc import Iterable

from tabulate import tabulate

from stages.compare import numbers, wording
from stages.compare.comparison import Comparison, ModelComparison
from stages.compare.effect import Effect
from stages.compare.efficiency import Efficiency
from stages.compare.movement import CodeMove, ModelMove
from stages.compare.unmeasured import Unmeasured
from stages.report.visible_text import visible

_REFERENCE = re.compile(r"@|#|:(?=//|[a-z0-9_+-]+:)|www(?=\.)|GH(?=-\d)", re.IGNORECASE)
"""What GitHub takes for the beginning of a mention, a reference, a link or an emoji: a zero-width space after it stops that."""
MARKS = {"better": "🟢", "worse": "🔴", "cannot tell": "⚪", "could not measure": "⚠️"}


def markdown(result: Comparison | Unmeasured, *, insert: str = "") -> str:
    """The whole report.

    Args:
        result: The comparison.
        insert: Markdown to put between the verdict and what moved, such as the output of `dvc metrics diff --md`.
    """
    head, base = (result.head, result.base) if isinstance(result, Unmeasured) else (result.head.name, result.base.name)
    parts = [f"### {MARKS[result.verdict]} {result.verdict.capitalize()}: {code(head)} against {code(base)}"]
    if isinstance(result, Unmeasured):
        parts += ["\n".join(f"- {plain(reason)}" for reason in result.reasons)]
        return "\n\n".join([*parts, *([insert.strip()] if insert.strip() else [])]) + "\n"
    parts.append(plain(wording.summary(result)))
    settle = wording.what_would_settle(result.scores, briefs_now=result.scores.briefs)
    parts += [plain(settle)] if settle else []
    parts.append(_table(result))
    parts += ["\n".join(f"- {plain(note)}" for note in result.notes)] if result.notes else []
    parts += [insert.strip()] if insert.strip() else []
    parts.append(_moved(result))
    parts.append(_details("What was compared, and what was left out", _provenance(result)))
    return "\n\n".join(part for part in parts if part) + "\n"


def code(text: str) -> str:
    """A name as inline code, whatever is in it.

    >>> code("a`b|c")
    '`abc`'
    """
    return f"`{''.join(char for char in visible(text) if char not in '`|')[:120].strip() or '?'}`"


def plain(text: str) -> str:
    r"""A sentence in which nothing is markup, a mention, a reference or a link.

    >>> plain("<b>*x* @you</b>")
    '&lt;b&gt;\\*x\\* @\u200byou&lt;/b&gt;'
    """
    safe = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for char in "\\`*_[]|#!~$":
        safe = safe.replace(char, "\\" + char)
    return _REFERENCE.sub(lambda found: f"{found[0]}\u200b", safe)


def _table(result: Comparison) -> str:
    header = [
        "",
        "base",
        "head",
        "difference",
        f"{100 * result.settings.confidence:g} % interval",
        "p (Holm)",
        "verdict",
    ]
    header += ["valid base", "valid head", "cost", "latency"]
    rows = [["**all models**", *_cells(result.scores, result.efficiency)]]
    rows += [[_model(each), *_cells(each.effect, each.efficiency)] for each in result.models]
    return tabulate(rows, headers=header, tablefmt="github", disable_numparse=True)


def _model(each: ModelComparison) -> str:
    return code(each.model_id) + (" (config changed)" if each.config_changed else "")


def _cells(effect: Effect, taken: Efficiency) -> list[str]:
    return [
        numbers.score(effect.base),
        numbers.score(effect.head),
        numbers.difference(effect.difference),
        numbers.interval(effect.interval),
        numbers.probability(effect.p_adjusted).replace("<", "&lt;"),
        effect.judgement.verdict,
        numbers.share(taken.base_valid, taken.base_answered),
        numbers.share(taken.head_valid, taken.head_answered),
        numbers.ratio(taken.cost_ratio),
        numbers.ratio(taken.latency_ratio),
    ]


def _moved(result: Comparison) -> str:
    if not result.moves:
        return "No brief moved."
    rows = [
        [
            code(move.brief_id),
            numbers.difference(move.difference),
            _scores(move.models),
            _codes(move.gained),
            _codes(move.lost),
        ]
        for move in result.moves[: wording.SHOWN]
    ]
    table = tabulate(
        rows,
        headers=["brief", "difference", "models that moved most", "violations gained", "violations lost"],
        tablefmt="github",
        disable_numparse=True,
    )
    rest = len(result.moves) - wording.SHOWN
    return _details(
        f"What moved: {numbers.count(len(result.moves), 'brief')}", table + (f"\n\nand {rest} more" if rest > 0 else "")
    )


def _scores(models: Iterable[ModelMove]) -> str:
    farthest = sorted(models, key=lambda each: (-abs(each.head - each.base), each.model_id))
    shown = [
        f"{code(each.model_id)} {numbers.score(each.base)} → {numbers.score(each.head)}"
        for each in farthest[:3]
        if each.head != each.base
    ]
    return ", ".join(shown)


def _codes(moves: Iterable[CodeMove]) -> str:
    return ", ".join(f"{code(move.code)} ({', '.join(code(model) for model in move.models)})" for move in moves)


def _provenance(result: Comparison) -> str:
    lines = [wording.side(result.base), wording.side(result.head), *wording.left_out(result)]
    settings = result.settings
    lines.append(
        f"Scores are expected scores: a failure of the model counts 0. Valid graphs alone: "
        f"{numbers.score(result.overall.base)} before, {numbers.score(result.overall.head)} now. "
        f"A verdict takes a difference of {settings.min_difference:g} at {100 * settings.confidence:g} % confidence."
    )
    lines.append("Cost is per answer, latency the geometric mean over cells; both are head over base.")
    return "\n".join(f"- {plain(line)}" for line in lines)


def _details(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"
