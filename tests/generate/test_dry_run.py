"""A dry run says why cells are called."""

import io

from rich.console import Console

from graph_evaluator.generate.dry_run import StoredRequests, cell_tables, summary_table
from graph_evaluator.generate.forecast import Forecaster
from graph_evaluator.generate.plan.cells import RunPlan
from graph_evaluator.present.terminal import show_table
from graph_evaluator.records.params import Params
from tests.builders.cases import cases
from tests.generate.asking import PROMPT, cells, config

REQUESTS = [planned.calls[0].canonical for planned in cells(config(), briefs=2)]
STORED = StoredRequests(REQUESTS)


def one(*, number=0, **changed):
    generate = {key: changed.pop(key) for key in ("samples", "round") if key in changed}
    return cells(config(**changed), briefs=3, **generate)[number].calls[0]


@cases(
    "call, why",
    {
        "model": (one(model="other", round=2), "no stored answer of this model"),
        "endpoint": (one(base_url="http://127.0.0.1:1/v1"), "another endpoint"),
        "two settings": (
            one(params={"temperature": 0.5, "max_output_tokens": 100}),
            "another max output tokens and another temperature",
        ),
        "sample": (cells(config(), samples=2)[1].calls[0], "another sample"),
        "brief": (one(number=2, round=2), "this text of the brief was never sent"),
        "round": (one(round=2), "another round"),
        "draw": (
            cells(config(), unparsed_draws=2)[0].calls[1],
            "redraw: answer 1 has no usable JSON",
        ),
    },
)
def test_what_differs_is_said_in_plain_words(call, why):
    assert STORED.why_missing(call) == why


def test_the_cells_of_a_model_fit_80_columns_with_whole_words():
    planned = cells(
        config("gpt-6.1-terra-low", model="m", params={"temperature": 0.5}), briefs=2, samples=2
    )
    params = Params.model_validate({"prompt": "p", "models": ["m"], "briefs": ["b"]})
    plan = RunPlan(params=params, prompt=PROMPT, models=(), briefs=(), cells=tuple(planned))
    reasons = {
        key: STORED.why_missing(cell.calls[0]) for cell in planned for key in cell.fingerprints
    }
    forecast, out = Forecaster(lambda _: []).total, io.StringIO()
    tables = [summary_table(plan, reasons, forecast), *cell_tables(plan, reasons, forecast)]
    for table in tables:
        Console(file=out, width=80, highlight=False).print(*show_table(table, 80), sep="\n")
    text = out.getvalue()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    for words in (
        "gpt-6.1-terra-low",
        "to call: another",
        "temperature",
        "why answers are missing",
    ):
        assert words in text
