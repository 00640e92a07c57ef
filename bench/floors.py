"""`python -m bench.floors openai|aiohttp`: the least that calling takes: a bare asyncio loop that keeps nothing.

`openai` is the official client as its documentation uses it; `aiohttp` is a plain HTTP client.
"""

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

Ask = Callable[[str], Awaitable[int]]


async def _all(ask: Ask, cells: int, concurrency: int) -> None:
    slots = asyncio.Semaphore(concurrency)

    async def one(number: int) -> int:
        async with slots:
            return await ask(f"{number} {'word ' * 200}")

    lengths = await asyncio.gather(*(one(number) for number in range(cells)))
    assert all(length > 1000 for length in lengths)


async def _openai(url: str, prompt: str, cells: int, concurrency: int) -> None:
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def ask(text: str) -> int:
            response = await client.responses.create(
                model="gpt-4.1",
                instructions=prompt,
                input=text,
                temperature=0,
                max_output_tokens=16000,
            )
            return len(response.output_text)

        await _all(ask, cells, concurrency)


async def _aiohttp(url: str, prompt: str, cells: int, concurrency: int) -> None:
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(text: str) -> int:
            body = {
                "model": "gpt-4.1",
                "instructions": prompt,
                "input": text,
                "temperature": 0,
                "max_output_tokens": 16000,
            }
            async with session.post(f"{url}/responses", json=body) as response:
                answer = json.loads(await response.read())
            return len(answer["output"][0]["content"][0]["text"])

        await _all(ask, cells, concurrency)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("client", choices=("openai", "aiohttp"))
    parser.add_argument("--url", required=True)
    parser.add_argument("--prompt", type=Path, required=True)
    parser.add_argument("--cells", type=int, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    chosen = parser.parse_args()
    run = _openai if chosen.client == "openai" else _aiohttp
    asyncio.run(run(chosen.url, chosen.prompt.read_text(), chosen.cells, chosen.concurrency))
