"""Whole processes measured from outside: wall time, CPU time, the most memory held at once."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen


@dataclass(frozen=True)
class Cost:
    """What a process took."""

    wall_s: float
    cpu_s: float
    rss_mib: float


def measure(command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> Cost:
    """Run a command to its end.

    Raises:
        RuntimeError: it failed; its output is in the message.
    """
    started = time.perf_counter()
    with (cwd / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=cwd, env=dict(env), stdout=output, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(
            f"{' '.join(command)}: exit {process.returncode}\n{(cwd / 'output.txt').read_text()[-2000:]}"
        )
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale)


@contextmanager
def loopback_server(latency_ms: float) -> Iterator[str]:
    """The address of a fresh `bench.loopback_server`, in a process of its own."""
    command = [sys.executable, "-m", "bench.loopback_server", "--latency-ms", str(latency_ms)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.wait()


def asked(server: str, path: str) -> str:
    """What the server says of itself."""
    with urlopen(server + path, timeout=10) as answer:
        text: str = answer.read().decode()
    return text
