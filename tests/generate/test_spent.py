"""What was spent is shown by month, model and purpose, from any ledger."""

import asyncio
import datetime

from graph_evaluator.generate.__main__ import spent_table
from graph_evaluator.generate.ledger.rows import FILE
from graph_evaluator.generate.ledger.store import Ledger
from graph_evaluator.generate.prices import ModelPrices
from graph_evaluator.records.model_config import Pricing
from tests.generate.entries import asked, body, paid

HOST = "https://api.openai.com/v1"
PRICING = Pricing(input_per_1m=1, output_per_1m=1, source="a test")
TODAY = datetime.date(2026, 1, 1)
PRICES = {("m", HOST): ModelPrices(pricing=PRICING, published=None, today=TODAY)}
USAGE = {"input_tokens": 600_000, "output_tokens": 400_000}
PAID = body(usage=USAGE)
NOT_COUNTED = body(usage=None)


def fill(folder, *purposes, content=PAID, model="m"):
    """A ledger with an answer for each purpose."""

    async def put(ledger):
        for number, purpose in enumerate(purposes):
            one = asked(f"{model}{number}", model)
            await ledger.put(one, paid(one, content), purpose=purpose)

    with Ledger(folder) as ledger:
        asyncio.run(put(ledger))
    return folder / FILE


def table(folder):
    """The table of the ledger in a folder."""
    with Ledger(folder, read_only=True) as ledger:
        return spent_table(ledger, PRICES)


def rows(folder):
    """The texts of the table."""
    return [[entry.text for entry in row] for row in table(folder).rows]


def test_a_row_has_the_answers_tokens_and_cost_of_a_month_model_and_purpose(tmp_path):
    fill(tmp_path, "run", "settle:1f", "settle:2e", None)
    assert rows(tmp_path) == [
        ["2026-01", "m", "run", "1", "600,000", "400,000", "0", "$1.00"],
        ["2026-01", "m", "settle", "2", "1,200,000", "800,000", "0", "$2.00"],
        ["2026-01", "m", "unknown", "1", "600,000", "400,000", "0", "$1.00"],
        ["all", "", "", "4", "2,400,000", "1,600,000", "0", "$4.00"],
    ]


def test_answers_without_usage_or_without_a_config_have_no_cost(tmp_path):
    fill(tmp_path, "run", content=NOT_COUNTED)
    fill(tmp_path, "run", model="gone")
    assert [row[4:] for row in rows(tmp_path)] == [
        ["600,000", "400,000", "1", "—"],
        ["—", "—", "1", "—"],
        ["600,000", "400,000", "2", "—"],
    ]
    assert "has model and address: gone" in table(tmp_path).notes[-1]


def test_the_command_goes_alone_calls_nothing_and_makes_no_ledger(server, workspace):
    done = workspace.run("--spent")
    assert (done.returncode, server.calls.total()) == (0, 0)
    assert f"Paid answers in {workspace.folder / '.ledger' / FILE}" in done.stdout.replace("\n", "")
    assert not (workspace.folder / ".ledger").exists()
    assert "allow no other option" in workspace.run("--spent", "--dry-run").problem
