"""How many tokens a text has: counted where the tokenizer's data is on this machine, else estimated. Never asks the network."""

import hashlib
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

ENCODING = "o200k_base"
"""The encoding of OpenAI's models since GPT-4o; a fair estimate for others."""
_URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_MESSAGE_TOKENS = 8
"""What the two messages of a request add to their texts."""

Counter = Callable[[str], int]


def estimate(text: str) -> int:
    """About how many tokens a text has, rather too many than too few; 0 for no text.

    A token is about four characters of ASCII, and one character in other scripts.

    >>> estimate("a short sentence"), estimate("短い文")
    (4, 3)
    """
    ascii_only = len(text.encode("ascii", "ignore"))
    return math.ceil(ascii_only / 4) + len(text) - ascii_only


def token_counter() -> tuple[Counter, str]:
    """What counts tokens here, and how in words: `counted with tiktoken` or `estimated`."""
    if not _data_is_here():
        return estimate, "estimated: the tokenizer's data is not on this machine"
    import tiktoken

    encoding = tiktoken.get_encoding(ENCODING)
    return lambda text: len(encoding.encode_ordinary(text)), f"counted with tiktoken, {ENCODING}"


def input_tokens(count: Counter, instructions: str, text: str) -> int:
    """The input tokens of a request: both texts and what frames them."""
    return count(instructions) + count(text) + _MESSAGE_TOKENS


def _data_is_here() -> bool:
    """True when tiktoken would find its data without the network: the cache it looks into holds the very file."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder == "":
        return False
    cached = Path(folder or Path(tempfile.gettempdir()) / "data-gym-cache") / hashlib.sha1(_URL.encode()).hexdigest()  # noqa: S324
    try:
        return hashlib.sha256(cached.read_bytes()).hexdigest() == _SHA256
    except OSError:
        return False
