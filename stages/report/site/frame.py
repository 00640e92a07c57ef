"""Frame: what every page of the site has, and how a template becomes a file."""

import re
from functools import cache
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from stages.report.digest import Digest
from stages.report.site.addresses import OVERVIEW, root_of
from stages.report.site.assets import assets
from stages.report.site.evidence import Page
from stages.report.site.table_html import table_html

_STYLES = {
    "overview": ("base", "overview"),
    "model": ("base", "pages"),
    "brief": ("base", "pages", "drawing"),
    "cell": ("base", "pages", "drawing"),
    "revisions": ("base", "pages", "drawing"),
}
_SCRIPTS = {
    "overview": ("table",),
    "model": ("table",),
    "brief": ("table",),
    "revisions": ("table",),
    "cell": ("table", "light"),
}


class Frame(NamedTuple):
    """What all pages of a site say: small, so that it can be handed to other processes."""

    run_id: str
    prompt: str
    tool_version: str
    banner: tuple[str, ...]


def frame_of(digest: Digest) -> Frame:
    """The frame of a run's pages."""
    run = digest.run
    return Frame(run.run_id, run.prompt.path, run.tool_version, digest.notices)


class Trail(NamedTuple):
    """One step on the way from the overview to a page."""

    name: str
    page: str


def page(frame: Frame, kind: str, at: str, title: str, trail: tuple[Trail, ...], content: dict[str, object]) -> Page:
    """A file of the site.

    Args:
        frame: What all pages say.
        kind: Which template: overview, model, brief or cell.
        at: The page's own path.
        title: Its title.
        trail: The pages between the overview and this one.
        content: What the template needs.
    """
    root = root_of(at)
    steps = [("Overview", root + OVERVIEW if trail or at != OVERVIEW else "")]
    steps += [(step.name, root + step.page) for step in trail]
    if at != OVERVIEW:
        steps.append((title, ""))
    return at, _rendered(frame, kind, title, steps, content)


def lone_page(frame: Frame, kind: str, title: str, content: dict[str, object]) -> bytes:
    """A page that stands by itself, apart from a site."""
    return _rendered(frame, kind, title, [(title, "")], content)


def _rendered(frame: Frame, kind: str, title: str, trail: list[tuple[str, str]], content: dict[str, object]) -> bytes:
    template = _environment().get_template(f"{kind}.html.j2")
    html = template.render(
        assets=assets(_STYLES[kind], _SCRIPTS[kind]),
        title=title,
        trail=trail,
        run_id=frame.run_id,
        prompt=frame.prompt,
        tool_version=frame.tool_version,
        banner=frame.banner,
        **content,
    )
    return html.encode("utf-8", errors="replace")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("stages.report.site"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["heading"] = _heading
    environment.globals["table"] = table_html
    return environment


def _heading(name: str) -> str:
    """The title of a section from its address.

    >>> _heading("request-settings")
    'Request settings'
    """
    text = re.sub("-", " ", name)
    return text[:1].upper() + text[1:]
