"""Work that is stopped ends soon, even when a thread of it cannot be ended."""

import signal
import subprocess
import sys

from stages.generate.pipeline import KEPT
from tests.builders.cases import cases
from tests.generate.workspace import REPOSITORY

STUCK = """
import asyncio, threading
from stages.contracts.errors import GraphEvaluatorError
from stages.generate.pipeline import stoppable
async def work():
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
    print("stuck", flush=True)
    await asyncio.Event().wait()
asyncio.run(stoppable(work()))
"""


@cases(
    "which",
    {
        "Ctrl-C": signal.SIGINT,
        "SIGTERM": signal.SIGTERM,
    },
)
def test_a_thread_that_cannot_be_ended_does_not_hold_up_the_end(which: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "stuck\n"
    process.send_signal(which)
    _, reported = process.communicate(timeout=30)
    assert process.returncode == 130
    assert reported == f"error: {KEPT}\n"
