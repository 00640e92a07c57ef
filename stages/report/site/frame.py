"""The frame of every page: its address, one template, one style sheet, one script, one way to escape. Pages open from disk.

`'self'` means little for a page that is opened from disk, so the style sheet and the script are in the page and the
Content-Security-Policy allows them by their hashes, and nothing else. Addresses are made from ids that were checked, never from
what a model wrote.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from stages.contracts.model_config import IDENTIFIER
from stages.contracts.response import Cell
from stages.shell import numbers
from stages.shell.text import clip, visible, visible_lines

OVERVIEW = "index.html"
_PACKAGE = "stages.report.site"


class UnsafeId(ValueError):
    """An id that cannot be a file name."""


def model_page(model_id: str) -> str:
    """The page of a model.

    >>> model_page("gpt-4.1")
    'model/gpt-4.1.html'
    """
    return f"model/{_checked(model_id)}.html"


def brief_page(brief_id: str) -> str:
    """The page of a brief."""
    return f"brief/{_checked(brief_id)}.html"


def cell_page(cell: Cell) -> str:
    """The page of a cell.

    >>> cell_page(Cell("gpt-4.1", "01-simple-binary", 2))
    'cell/gpt-4.1/01-simple-binary-2.html'
    """
    return f"cell/{_checked(cell.model_id)}/{_checked(cell.brief_id)}-{cell.sample:d}.html"


def root_of(page: str) -> str:
    """The way from a page up to the site's folder.

    >>> root_of("index.html"), root_of("cell/gpt-4.1/a-1.html")
    ('', '../../')
    """
    return "../" * page.count("/")


def _checked(identifier: str) -> str:
    if not IDENTIFIER.fullmatch(identifier):
        raise UnsafeId(f"not an id: {identifier!r:.100}")
    return identifier


@dataclass(frozen=True, slots=True)
class Frame:
    """What every page of a run says around its content; `notices` are plain-text lines that are shown on every page."""

    run_id: str
    prompt: str
    tool_version: str
    notices: tuple[str, ...] = ()


def page(
    frame: Frame,
    template: str,
    *,
    title: str,
    at: str = "",
    trail: Sequence[tuple[str, str]] = (),
    package: str = _PACKAGE,
    **content: object,
) -> bytes:
    """A page as HTML. Every text that the template prints is escaped, without control characters, on one line.

    The template is a file in the `templates` of a package; it extends `base.html.j2` and fills the block `content`. `at` is the page's path
    in the site, empty for a page that is not part of one; `trail` has the names and paths of the pages between the overview and this one.
    """
    root = root_of(at)
    steps = [("Overview", root + OVERVIEW if at != OVERVIEW else "")] if at else []
    steps += [(name, root + path) for name, path in trail]
    steps += [(title, "")] if at != OVERVIEW else []
    html = (
        environment(package)
        .get_template(template)
        .render(frame=frame, title=title, steps=steps, **content)
    )
    return html.encode("utf-8", errors="replace")


@cache
def environment(package: str = _PACKAGE) -> Environment:
    """The templates of a package and of the site, in which every text is escaped and on one line."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, _PACKAGE))]),
        autoescape=True,
        finalize=lambda value: (
            visible(value) if type(value) is str else value
        ),  # escaped text is no plain str
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["lines"] = lambda text: escape(visible_lines(text))
    templates.filters |= {"clip": clip, "parameter": numbers.parameter}
    style, script = static(_PACKAGE, "site.css"), static(_PACKAGE, "site.js")
    templates.globals |= {
        "numbers": numbers,
        "model_page": model_page,
        "brief_page": brief_page,
        **inline(style, script),
    }
    return templates


def static(package: str, name: str) -> str:
    """The text of a file in a package's folder `static`."""
    return (files(package) / "static" / name).read_text(encoding="utf-8")


def inline(style: str, script: str) -> dict[str, str]:
    """The style sheet and the script of a page (our files), and the policy that allows them and nothing else."""
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return {"style": Markup(style), "script": Markup(script), "policy": policy}  # noqa: S704


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
