"""The SDK's types load when they are asked for, and are then all there."""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]
PROBE = """
import sys
import stages.generate.client.sdk
loaded = sum(name.startswith("openai.types.") for name in sys.modules)
import openai
from openai.types import Batch
from openai.types.responses import Response
assert openai.types.Batch is Batch
assert Response.model_validate({
    "id": "r", "created_at": 1, "model": "m", "object": "response", "output": [], "parallel_tool_calls": False,
    "tool_choice": "auto", "tools": [],
}).id == "r"
assert not hasattr(openai.types, "NoSuchType")
assert type(openai.types) is type(sys)
assert all(type(finder).__module__ != "stages.generate.client.deferred" for finder in sys.meta_path)
from openai.resources.responses import AsyncResponses
client = openai.AsyncOpenAI(api_key="none")
assert isinstance(client.responses, AsyncResponses)
assert client.batches and client.files and client.chat.completions and client.models
print(loaded, sum(name.startswith("openai.types.") for name in sys.modules))
"""


def test_few_types_are_loaded_with_the_sdk_and_all_of_them_when_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with_the_sdk, asked_for = map(int, done.stdout.split())
    assert with_the_sdk < asked_for / 3
