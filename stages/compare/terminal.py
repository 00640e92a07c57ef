"""The comparison for the terminal, as what rich renders."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from stages.compare import numbers, wording
from stages.compare.comparison import Comparison
from stages.compare.effect import Effect
from stages.compare.efficiency import Efficiency
from stages.compare.unmeasured import Unmeasured
from stages.compare.verdict import Verdict
from stages.report.visible_text import visible

STYLES: dict[Verdict, str] = {
    "better": "bold green",
    "worse": "bold red",
    "cannot tell": "bold",
    "could not measure": "bold yellow",
}


def terminal(result: Comparison | Unmeasured) -> Group:
    """The verdict, the table over models, what moved, what was left out; nothing in a name is markup."""
    parts: list[Text | Table] = [_text(wording.headline(result), STYLES[result.verdict])]
    if isinstance(result, Unmeasured):
        return Group(*parts, *(Text("  ").append(visible(reason)) for reason in result.reasons))
    parts.append(_text(wording.summary(result)))
    settle = wording.what_would_settle(result.scores, briefs_now=result.scores.briefs)
    parts += [_text(settle)] if settle else []
    for table in _models(result):
        parts += [Text(), table]
    if result.moves:
        parts += [Text(), _moved(result)]
    parts.append(Text())
    for line in (*result.notes, wording.side(result.base), wording.side(result.head), *wording.left_out(result)):
        parts.append(_text(line, "dim"))
    return Group(*parts)


def _text(text: str, style: str = "") -> Text:
    return Text(visible(text), style)


def _models(result: Comparison) -> tuple[Table, Table]:
    level = f"{100 * result.settings.confidence:g} % interval"
    scores = _table("difference", level, "p (Holm)")
    scores.add_column("verdict", no_wrap=True)
    taken = _table("base", "head", "valid base", "valid head", "cost", "latency")
    rows = [("all models", result.scores, result.efficiency)]
    rows += [(each.model_id, each.effect, each.efficiency) for each in result.models]
    for name, effect, used in rows:
        _add(scores, taken, name, effect, used)
    return scores, taken


def _table(*numbers_of: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold")
    for name in numbers_of:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _add(scores: Table, taken: Table, name: str, effect: Effect, used: Efficiency) -> None:
    verdict = effect.judgement.verdict
    scores.add_row(
        _text(name),
        numbers.difference(effect.difference),
        numbers.interval(effect.interval),
        numbers.probability(effect.p_adjusted),
        _text(verdict, STYLES[verdict]),
    )
    taken.add_row(
        _text(name),
        numbers.score(effect.base),
        numbers.score(effect.head),
        numbers.share(used.base_valid, used.base_answered),
        numbers.share(used.head_valid, used.head_answered),
        numbers.ratio(used.cost_ratio),
        numbers.ratio(used.latency_ratio),
    )


def _moved(result: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title="What moved most", title_justify="left")
    table.add_column("brief", overflow="fold")
    table.add_column("difference", justify="right")
    table.add_column("violations gained (+) and lost (-)", overflow="fold")
    for move in result.moves[: wording.SHOWN]:
        codes = [f"+{each.code} ({', '.join(each.models)})" for each in move.gained]
        codes += [f"-{each.code} ({', '.join(each.models)})" for each in move.lost]
        table.add_row(_text(move.brief_id), numbers.difference(move.difference), _text(", ".join(codes)))
    return table
