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

STYLES: dict[Verdict, str] = {
    "better": "bold green",
    "worse": "bold red",
    "cannot tell": "bold",
    "could not measure": "bold yellow",
}


def terminal(result: Comparison | Unmeasured) -> Group:
    """The verdict, the table over models, what moved, what was left out; nothing in a name is markup."""
    parts: list[Text | Table] = [Text(wording.headline(result), STYLES[result.verdict])]
    if isinstance(result, Unmeasured):
        return Group(*parts, *(Text(f"  {reason}") for reason in result.reasons))
    parts.append(Text(wording.summary(result)))
    settle = wording.what_would_settle(result.scores, briefs_now=result.scores.briefs)
    parts += [Text(settle)] if settle else []
    parts.append(_models(result))
    if result.moves:
        parts.append(_moved(result))
    for line in (*result.notes, wording.side(result.base), wording.side(result.head), *wording.left_out(result)):
        parts.append(Text(line, "dim"))
    return Group(*parts)


def _models(result: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold")
    level = f"{100 * result.settings.confidence:g} % interval"
    for name in ("base", "head", "difference", level, "p (Holm)", "valid base", "valid head", "cost", "latency"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict")
    _row(table, Text("all models", "bold"), result.scores, result.efficiency)
    for each in result.models:
        _row(
            table,
            Text(each.model_id + (" (config changed)" if each.config_changed else "")),
            each.effect,
            each.efficiency,
        )
    return table


def _row(table: Table, name: Text, effect: Effect, taken: Efficiency) -> None:
    verdict = effect.judgement.verdict
    table.add_row(
        name,
        numbers.score(effect.base),
        numbers.score(effect.head),
        numbers.difference(effect.difference),
        numbers.interval(effect.interval),
        numbers.probability(effect.p_adjusted),
        numbers.share(taken.base_valid, taken.base_answered),
        numbers.share(taken.head_valid, taken.head_answered),
        numbers.ratio(taken.cost_ratio),
        numbers.ratio(taken.latency_ratio),
        Text(verdict, STYLES[verdict]),
    )


def _moved(result: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", title="What moved most", title_justify="left")
    table.add_column("brief", overflow="fold")
    table.add_column("difference", justify="right")
    table.add_column("violations gained (+) and lost (-)", overflow="fold")
    for move in result.moves[: wording.SHOWN]:
        codes = [f"+{each.code} ({', '.join(each.models)})" for each in move.gained]
        codes += [f"-{each.code} ({', '.join(each.models)})" for each in move.lost]
        table.add_row(Text(move.brief_id), numbers.difference(move.difference), Text(", ".join(codes)))
    return table
