"""Whole processes measured from outside: wall time, CPU time, the most memory held at once."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

# Linux counts the memory of the process that starts another one as the other's, so a small one does.
_LAUNCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(process.pid, 0)
with open(sys.argv[1], "w") as file:
    print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=file)
sys.exit(os.waitstatus_to_exitcode(status))
"""


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
    used = cwd / "used.txt"
    launched = [sys.executable, "-I", "-c", _LAUNCHER, str(used), *command]
    started = time.perf_counter()
    with (cwd / "output.txt").open("wb") as output:
        process = subprocess.run(
            launched, cwd=cwd, env=dict(env), stdout=output, stderr=subprocess.STDOUT
        )
    wall_s = time.perf_counter() - started
    if process.returncode:
        printed = (cwd / "output.txt").read_text()[-2000:]
        raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}\n{printed}")
    cpu_s, most_memory = map(float, used.read_text().split())
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Cost(wall_s, cpu_s, most_memory / scale)


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
