"""Where the traces of written responses are kept from run to run. Adapter: it reads and writes files.

Nothing depends on the file: without it, or with one that cannot be read, every response is made anew.
"""

import contextlib
import hashlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import msgspec
import orjson

from stages.generate.answers.recall import Trace
from stages.shell.files import write_atomic

FILE = "written.json"
_STAGES = Path(__file__).parents[2]
_CODE = ("contracts", "shell", "generate")
_PRICES = "genai_prices"
_Traces = dict[str, Trace]


def read_traces(folder: Path) -> Mapping[str, Trace]:
    """The traces of the last run, by what their responses are made of; none where they cannot be read."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=_Traces)
    except (OSError, msgspec.MsgspecError):
        return {}


def write_traces(folder: Path, traces: Mapping[str, Trace]) -> None:
    """Keep the traces of this run in place of the last one's, where there is room."""
    with contextlib.suppress(OSError):
        write_atomic(folder / FILE, msgspec.json.encode(traces, order="deterministic"))


def maker() -> bytes:
    """Stands for the code that makes responses, ours and that of the libraries it goes by, and for the published prices."""
    whole = hashlib.sha256(f"{orjson.__version__} {msgspec.__version__} {_stamp(_PRICES)}".encode())
    for folder in _CODE:
        for file in sorted((_STAGES / folder).rglob("*.py")):
            whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.digest()


def _stamp(package: str) -> list[tuple[str, int, int]]:
    """Changes with whatever is installed as a package, which is not loaded for it: that takes far longer."""
    spec = find_spec(package)
    files = sorted(Path(spec.origin).parent.glob("*.py")) if spec and spec.origin else []
    return [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
