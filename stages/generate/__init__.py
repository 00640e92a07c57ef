"""Send every brief to every model, keep every answer, and write a response for each cell.

These are layers, each of which imports only from those before it: `apis`, `answers`, `prices`,
`plan`, `ledger`, `calls`, `batch`, `forecast`, `run_files`, `responses`. `__main__` is the command,
`pipeline` makes its calls. As a library, `generate` does the same in memory, with a call that is
passed in.
"""

from stages.generate.calls.faults import CallFailed, Fault, Reply
from stages.generate.library import Generated, generate
from stages.generate.plan.call import Call

__all__ = ["Call", "CallFailed", "Fault", "Generated", "Reply", "generate"]
