"""The manners of every command: our errors are one message and an exit code, a closed pipe is silence."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable

from stages.contracts.errors import GraphEvaluatorError, InputError, Interrupted
from stages.shell.interrupt import leave


def run(main: Callable[[], int | None]) -> None:
    """Run a command's main function and end the process with its exit code.

    Our own errors are printed to standard error without a traceback and end with their exit code; Ctrl-C ends with 130.
    """
    if not gc.isenabled():  # since `stages.shell.interrupt`; what was loaded since then stays to the end
        gc.freeze()
        gc.enable()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = main() or 0
        sys.stdout.flush()
    except InputError as error:
        count = len(error.problems)
        print(f"error: {count} thing{'s' if count > 1 else ''} to mend, nothing was done:", file=sys.stderr)
        for problem in error.problems:
            print(f"  {problem}", file=sys.stderr)
        code = error.exit_code
    except GraphEvaluatorError as error:
        print(f"error: {error}", file=sys.stderr)
        if isinstance(error, Interrupted):
            leave()
        code = error.exit_code
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        leave()
        code = 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    raise SystemExit(code)
