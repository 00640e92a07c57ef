"""Send every brief to every model, keep every answer, and write a response for each cell.

As a library: `generate` does it in memory, with a call that is passed in.
"""

from stages.generate.calls.caller import CallFailed, Reply
from stages.generate.calls.faults import Fault
from stages.generate.library import Generated, generate
from stages.generate.plan.cells import Call

__all__ = ["Call", "CallFailed", "Fault", "Generated", "Reply", "generate"]
