"""What the workspace has that the ledger lacks: responses that a colleague paid for. Adapter: it reads their files."""

from stages.generate.answers.files import read_response
from stages.generate.ledger.adoption import adoptable
from stages.generate.ledger.row import LedgerRow
from stages.generate.plan.needs import Wanted
from stages.shell import paths


def pulled(wanted: Wanted) -> list[LedgerRow]:
    """The answers that the workspace has, of those that the ledger lacks."""
    rows: list[LedgerRow] = []
    for planned, _ in wanted:
        response = read_response(paths.RESPONSES, planned.cell)
        rows += adoptable(planned, response) if response else []
    return rows
