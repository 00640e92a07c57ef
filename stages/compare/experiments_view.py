"""Several experiments, each against the commit that they began from, as one table."""

from collections.abc import Sequence

from tabulate import tabulate

from stages.compare import numbers
from stages.compare.comparison import Comparison
from stages.compare.markdown import code, plain
from stages.compare.unmeasured import Unmeasured

_HEADER = ("experiment", "prompt", "compared", "expected score", "difference", "valid", "cost", "verdict")


def experiments_markdown(results: Sequence[Comparison | Unmeasured], *, base: str) -> str:
    """A Markdown table with a row for each experiment, in the order given, and why some could not be measured.

    Args:
        results: Each experiment's comparison with the base.
        base: The base's name.
    """
    if not results:
        return f"No experiment began from {code(base)}: `dvc exp run`, or name another commit.\n"
    parts = [tabulate(list(map(_row, results)), headers=_HEADER, tablefmt="github", disable_numparse=True)]
    reasons = [f"- {code(each.head)}: {plain(each.reason)}" for each in results if isinstance(each, Unmeasured)]
    parts += ["\n".join(reasons)] if reasons else []
    if len(results) > 1:
        parts.append(
            "Each is judged by itself, so of many that change nothing one in twenty is called better or worse: "
            "try the one you take in a round of its own (`-S generate.round=2`)."
        )
    return "\n\n".join([f"Against {code(base)}:", *parts]) + "\n"


def _row(result: Comparison | Unmeasured) -> list[str]:
    if isinstance(result, Unmeasured):
        return [code(result.head), *[numbers.NOT_MEASURED] * (len(_HEADER) - 2), result.verdict]
    taken, effect = result.efficiency, result.scores
    return [
        code(result.head.name),
        code(result.head.prompt),
        f"{numbers.count(len(result.models), 'model')}, {numbers.count(effect.briefs, 'brief')}",
        numbers.score(effect.head),
        numbers.difference(effect.difference) + (f" ({numbers.interval(effect.interval)})" if effect.interval else ""),
        numbers.share(taken.head_valid, taken.head_answered),
        numbers.ratio(taken.cost_ratio),
        result.verdict,
    ]
