"""Send every brief to every model, keep every answer, and write a response for each cell.

The library: `generate` does it in memory, with a call that is passed in. It is loaded when it is first asked for, so that the
command starts quickly.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stages.generate.call import Call
    from stages.generate.caller import CallFailed, Fault, Reply
    from stages.generate.library import Generated, generate

__all__ = ["Call", "CallFailed", "Fault", "Generated", "Reply", "generate"]

_WHERE = {"Call": "call", "CallFailed": "caller", "Fault": "caller", "Reply": "caller"}


def __getattr__(name: str) -> object:
    """The parts of the library, each from its module."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_WHERE.get(name, 'library')}"), name)
    return found
