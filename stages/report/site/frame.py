"""The frame of every page: one template, one style sheet, one script, one way to escape. Pages open from disk, without a network.

`'self'` means little for a page that is opened from disk, so the style sheet and the script are in the page and the
Content-Security-Policy allows them by their hashes, and nothing else.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from stages.report.site.addresses import OVERVIEW, brief_page, model_page, root_of
from stages.shell import numbers
from stages.shell.text import clip, visible, visible_lines

_PACKAGE = "stages.report.site"


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
    """A page as HTML.

    Args:
        frame: What every page says.
        template: The file's name in the package's `templates`; it extends `base.html.j2` and fills the block `content`.
        title: The page's title.
        at: The page's path in the site; empty for a page that is not part of a site, which has no link to the overview.
        trail: Names and paths of the pages between the overview and this one.
        package: The package with the template.
        content: What the template needs. Every text that it prints is escaped, without control characters, on one line.
    """
    root = root_of(at)
    steps = [("Overview", root + OVERVIEW if at != OVERVIEW else "")] if at else []
    steps += [(name, root + path) for name, path in trail]
    steps += [(title, "")] if at != OVERVIEW else []
    html = (
        environment(package).get_template(template).render(frame=frame, title=title, steps=steps, root=root, **content)
    )
    return html.encode("utf-8", errors="replace")


@cache
def environment(package: str = _PACKAGE) -> Environment:
    """The templates of a package and of the site, in which every text is escaped and on one line."""
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(name) for name in dict.fromkeys((package, _PACKAGE))]),
        autoescape=True,
        finalize=_one_line,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"lines": _lines, "clip": clip, "parameter": numbers.parameter}
    style, script = (_static(name) for name in ("site.css", "site.js"))
    templates.globals |= {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - our files
    templates.globals |= {"numbers": numbers, "policy": content_policy(style, script)}
    templates.globals |= {"model_page": model_page, "brief_page": brief_page}
    return templates


def content_policy(style: str, script: str) -> str:
    """The Content-Security-Policy of a page that has this style sheet and this script, and nothing from elsewhere."""
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _one_line(value: object) -> object:
    """What a template prints, before it is escaped; what a macro or a filter has escaped is markup already."""
    return visible(value) if type(value) is str else value


def _lines(text: str) -> Markup:
    """Several lines of text, escaped; what cannot be seen is spelled out."""
    return escape(visible_lines(text))


def _static(name: str) -> str:
    return (files(_PACKAGE) / "static" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
