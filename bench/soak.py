"""`make soak`, or `python -m bench.soak --minutes 10`: faults, kills and restarts at random, then an exact account.

Waves of cells are fetched from a provider that fails in every known way, by runs of `generate` that are killed (`kill -9`, Ctrl-C,
SIGTERM) at random moments and started again, sometimes two at once. Each answer that the provider sent whole must then be in the
ledger, or have been sent so shortly before a kill that it may not have arrived; no cell may have two answers in the ledger, nor
have been answered twice without such a kill; a further run must call nothing; and no file may lie about that does not belong.
"""

import argparse
import contextlib
import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.soak_provider import Provider, Sent
from bench.workspace import environment, generate_command, make_workspace

MODELS, BRIEFS = 4, 75
CONCURRENCY = 32
GRACE_S = 1.0
"""An answer that was sent so shortly before a kill may not have been on disk yet."""

BELONGS = re.compile(
    r"(prompts|briefs|models)/[^/]+|params\.yaml|results/run\.json|results/responses/[^/]+/[^/]+/response\.json|\.ledger/[^/]+"
)


@dataclass
class Account:
    """What has happened, and every fault found in the books."""

    runs: int = 0
    kills: list[float] = field(
        default_factory=list
    )  # when each was sent and when it had ended the run
    by_signal: dict[str, int] = field(default_factory=dict)
    slowest_stop_s: float = 0.0
    cells: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list)


def main() -> int:
    """Soak, and print the account; 1 when it does not balance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=float, default=0.3, help="share of calls that fail")
    chosen = parser.parse_args()
    draw = random.Random(chosen.seed)
    provider = Provider(chosen.seed, chosen.faults, latency_s=0.05)
    account = Account()
    ends_at = time.monotonic() + chosen.minutes * 60
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wave = 0
        while not wave or time.monotonic() < ends_at:
            _write_wave(folder, provider.url, wave)
            _fetch_wave(folder, draw, account)
            wave += 1
            account.cells = wave * MODELS * BRIEFS
            print(
                f"wave {wave}: {account.runs} runs, {len(account.kills) // 2} kills, {account.cells} cells",
                flush=True,
            )
        _balance(folder, provider, account)
    print(
        f"{account.cells} cells, {account.runs} runs, {provider.calls['all']} calls, {dict(sorted(account.by_signal.items()))}"
    )
    print(
        f"{sum(map(len, provider.sent.values()))} answers sent whole, {account.lost} of them cut off by a kill"
    )
    print(
        f"most calls out at once {provider.most_in_flight}; slowest stop after Ctrl-C or SIGTERM {account.slowest_stop_s:.1f} s"
    )
    for line in account.wrong[:20]:
        print(f"WRONG: {line}")
    print(
        "the account balances"
        if not account.wrong
        else f"{len(account.wrong)} faults in the account"
    )
    return 1 if account.wrong else 0


def _write_wave(folder: Path, url: str, wave: int) -> None:
    make_workspace(
        folder,
        f"{url}",
        models=MODELS,
        briefs=BRIEFS,
        first_brief=wave * BRIEFS,
        max_concurrency=CONCURRENCY,
        timeout_s=2.0,
        max_wait_s=0.2,
        max_attempts=50,
    )


def _fetch_wave(folder: Path, draw: random.Random, account: Account) -> None:
    """Run until a run ends by itself with every cell answered, killing what runs at random moments until then."""
    while True:
        count = 2 if draw.random() < 0.2 else 1
        runs = [_start(folder, account) for _ in range(count)]
        if draw.random() < 0.8:
            time.sleep(draw.uniform(0.3, 6.0))
            _kill(draw.choice(runs), draw, account)
        codes = [run.wait() for run in runs]
        unexpected = [
            code
            for code in codes
            if code not in (0, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT)
        ]
        if unexpected:
            account.wrong.append(
                f"exit code {unexpected[0]}: {(folder / '.ledger' / 'output.log').read_text()[-500:]}"
            )
        if 0 in codes and _statuses(folder) == {"success"}:
            return


def _start(folder: Path, account: Account) -> subprocess.Popen[bytes]:
    account.runs += 1
    (folder / ".ledger").mkdir(exist_ok=True)
    with (folder / ".ledger" / "output.log").open("wb") as output:
        return subprocess.Popen(
            generate_command(),
            cwd=folder,
            env=environment(folder),
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def _kill(run: subprocess.Popen[bytes], draw: random.Random, account: Account) -> None:
    which = draw.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
    if run.poll() is not None:
        return
    account.kills.append(time.monotonic())
    account.by_signal[which.name] = account.by_signal.get(which.name, 0) + 1
    run.send_signal(which)
    started = time.monotonic()
    with contextlib.suppress(subprocess.TimeoutExpired):
        run.wait(timeout=30)
    took_s = time.monotonic() - started
    account.kills.append(time.monotonic())
    if which != signal.SIGKILL:
        account.slowest_stop_s = max(account.slowest_stop_s, took_s)


def _statuses(folder: Path) -> set[str]:
    files = sorted((folder / "results" / "responses").glob("*/*/response.json"))
    return {json.loads(file.read_text())["status"] for file in files}


def _balance(folder: Path, provider: Provider, account: Account) -> None:
    """Hold what the provider sent against what is kept."""
    calls = provider.calls["all"]
    final = _start(folder, account)
    if final.wait() != 0:
        account.wrong.append("the last run, with everything in the ledger, failed")
    if provider.calls["all"] != calls:
        account.wrong.append(f"the last run made {provider.calls['all'] - calls} calls")
    with contextlib.closing(sqlite3.connect(folder / ".ledger" / "answers.sqlite3")) as ledger:
        kept = [
            int(json.loads(body)["id"].removeprefix("resp_"))
            for (body,) in ledger.execute("SELECT body FROM answers")
        ]
    if len(kept) != account.cells:
        account.wrong.append(f"{len(kept)} answers in the ledger for {account.cells} cells")
    known = set(kept)
    if len(provider.sent) != account.cells:
        account.wrong.append(
            f"{len(provider.sent)} cells were answered by the provider, of {account.cells}"
        )
    for cell, sent in sorted(provider.sent.items()):
        missing = [one for one in sent if one.number not in known]
        if len(sent) - len(missing) != 1:
            account.wrong.append(
                f"{cell[0]}, {cell[1][:20]}: {len(sent) - len(missing)} answers kept of {len(sent)} sent"
            )
        account.lost += len(missing)
        account.wrong += [
            f"{cell[0]}: answer {one.number} is lost"
            for one in missing
            if not _excused(one, account)
        ]
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not BELONGS.fullmatch(name):
            account.wrong.append(f"{name} does not belong")


def _excused(sent: Sent, account: Account) -> bool:
    return any(killed - GRACE_S < sent.at < killed + 0.5 for killed in account.kills)


if __name__ == "__main__":
    sys.exit(main())
