"""An event loop whose time passes at once: it jumps to the next timer whenever nothing else is to be done."""

import asyncio
import selectors


class _Jumping(selectors.DefaultSelector):  # type: ignore[misc, valid-type, unused-ignore]
    """Never waits: a wait is added to the clock instead."""

    now = 0.0

    def select(self, timeout=None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("nothing will ever happen again")
            self.now += max(timeout, 0.0)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """For tests without sockets and threads."""

    def __init__(self):
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._jumping.now


def run_virtually(main):
    """What `main` gives, with all its waits taking no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


def now() -> float:
    """The running loop's clock."""
    return asyncio.get_running_loop().time()
