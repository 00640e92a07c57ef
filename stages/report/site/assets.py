"""Assets: style sheets and scripts, put into every page together with the policy that allows them and nothing else.

A page is opened from disk, where `'self'` means little, so everything is inline and named by its hash.
"""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_FOLDER = files("stages.report.site") / "static"


class Assets(NamedTuple):
    """The style sheet and the script of a kind of page, and its Content-Security-Policy."""

    css: str
    js: str
    policy: str


@cache
def assets(css: tuple[str, ...], js: tuple[str, ...]) -> Assets:
    """The named files of the static folder, joined, and the policy for them."""
    style = "".join(_compact(_text(f"{name}.css")) for name in css)
    script = "".join(_unindented(_text(f"{name}.js")) for name in js)
    scripts = f"'sha256-{_hash(script)}'" if script else "'none'"
    policy = f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src {scripts}; base-uri 'none'; form-action 'none'"
    return Assets(style, script, policy)


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _compact(css: str) -> str:
    """A style sheet without comments, indentation and line ends."""
    return re.sub(
        r"\s*([{}:;,>])\s+|\s+(?=[{}>])",
        r"\1",
        re.sub(r"\s*\n\s*", " ", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)),
    ).strip()


def _unindented(js: str) -> str:
    """A script without indentation and lines of comment; line ends stay, since they end statements."""
    return re.sub(r"^[ \t]+|^//.*\n", "", re.sub(r"^[ \t]*//.*\n", "", js, flags=re.MULTILINE), flags=re.MULTILINE)
