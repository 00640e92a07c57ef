"""`python -m bench.bare_client`: the least that calling takes: the official client in a bare asyncio loop that keeps nothing."""

import argparse
import asyncio
from pathlib import Path

from openai import AsyncOpenAI


async def call_all(url: str, prompt: str, cells: int, concurrency: int) -> None:
    """Make so many calls, so many at once, as the client's documentation shows it."""
    slots = asyncio.Semaphore(concurrency)
    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def call(number: int) -> int:
            async with slots:
                response = await client.responses.create(
                    model="gpt-4.1",
                    instructions=prompt,
                    input=f"{number} {'word ' * 200}",
                    temperature=0,
                    max_output_tokens=16000,
                )
            return len(response.output_text)

        lengths = await asyncio.gather(*map(call, range(cells)))
    assert all(length > 1000 for length in lengths)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--prompt", type=Path, required=True)
    parser.add_argument("--cells", type=int, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    chosen = parser.parse_args()
    text = chosen.prompt.read_text(encoding="utf-8")
    asyncio.run(call_all(chosen.url, text, chosen.cells, chosen.concurrency))
