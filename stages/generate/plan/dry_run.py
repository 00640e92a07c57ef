"""A dry run: every cell, and the forecast, on standard output. Adapter: it reads the ledger and prints."""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from stages.generate.client.model_listing import shutdown_days
from stages.generate.cost.costing import Costing
from stages.generate.ledger.file import FILE
from stages.generate.ledger.pulled import pulled
from stages.generate.ledger.store import Ledger
from stages.generate.plan.announcement import announce, open_forecaster
from stages.generate.plan.cell_table import cell_table
from stages.generate.plan.needs import needed
from stages.generate.plan.preparation import Prepared
from stages.generate.plan.why_miss import Nearest
from stages.shell import environment


def dry_run(prepared: Prepared, costing: Costing, variables: Mapping[str, str]) -> None:
    """Print every cell and the forecast; writes nothing, not even a new ledger."""
    folder = environment.ledger_folder()
    with tempfile.TemporaryDirectory() as scratch:
        with Ledger(folder if (folder / FILE).exists() else Path(scratch), print) as ledger:
            missing = needed(prepared.cells, ledger)
            adopted = {row.fingerprint for row in pulled(missing)}
            wanted = [(planned, draw) for planned, draw in missing if planned.fingerprints[draw - 1] not in adopted]
            forecaster, counted = open_forecaster(prepared, ledger, costing)
            nearest = Nearest(ledger.requests() if wanted else [])
            calls = {planned.fingerprints[draw - 1]: draw for planned, draw in wanted}
            table = cell_table(prepared.cells, calls, forecast=forecaster.forecast, why=nearest.why)
        width = None if sys.stdout.isatty() else 200
        Console(width=width, highlight=False).print(table)
        listed = shutdown_days((endpoint for _, endpoint in prepared.models), variables)
        announce(prepared, wanted, forecaster, costing, counted, print, listed=listed)
