"""`python -m stages.simulate --port N`: serves the simulated models until Ctrl-C, for any client
that speaks the API.
"""

import asyncio
import signal

from stages.shell.command import command_parser, run
from stages.simulate.characters import MODELS
from stages.simulate.server import SimulatedServer


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM."""
    description = "Serve the simulated models on 127.0.0.1 until Ctrl-C."
    parser = command_parser("simulate", description, "", "--port 9000")
    parser.add_argument(
        "--port", type=int, default=8321, help="the port; 0 takes a free one (default: 8321)"
    )
    port: int = parser.parse_args(arguments).port
    if not 0 <= port <= 65_535:
        parser.error(f"--port must be 0 to 65535, found {port}")
    try:
        asyncio.run(_serve(port))
    except OSError as error:
        parser.error(f"cannot listen on port {port}: {error.strerror}")
    return 0


async def _serve(port: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with SimulatedServer(port) as server:
        print(f"{server.url} serves {', '.join(MODELS)}; Ctrl-C ends it", flush=True)
        await stop.wait()


if __name__ == "__main__":
    run(main)
