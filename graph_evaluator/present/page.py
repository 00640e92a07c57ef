"""The frame of every page: its address, one template, one style sheet, one script, one way to
escape. Pages open from disk.

The pages of a site share their style sheet and their scripts, and their Content-Security-Policy
allows the site's own files and nothing else. A page that is a file of its own has the style sheet
and the script in it, allowed by their hashes. Addresses are made from ids that were checked, never
from what a model wrote.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from graph_evaluator.records.json_text import line
from graph_evaluator.records.model_config import IDENTIFIER
from graph_evaluator.records.response import Cell
from graph_evaluator.shell import numbers
from graph_evaluator.shell.text import clip, visible, visible_lines

OVERVIEW = "index.html"
CELLS = "cells.html"
GLOSSARY = "glossary.html"
PROMPT = "prompt.html"
STYLE = "site.css"
SCRIPTS = ("site.js", "pairs.js", "graph.js")
"""The scripts for tables, pairs of graphs and drawings, next to the style sheet."""
CELL_SCRIPTS = ("cells-filter.js", "notes.js", "cells-list.js", "cell.js")
"""The filter of the list of answers, notes, the list, and what pages of answers and briefs do."""
SITE_POLICY = (
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; frame-src 'self' file:; "
    "base-uri 'none'; form-action 'none'"
)
_PACKAGE = "graph_evaluator.present"


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


def cells_link(**filters: str) -> str:
    """The list of all cells, filtered: by `model`, `brief`, `status` and `code` (one value or
    several with commas between them); sorted by the field `sort`, with a minus before it from
    high to low.

    The address of a cell's page may have the same fragment: it names the list one came from.

    >>> cells_link(model="gpt-4.1", status="invalid", sort="-cost")
    'cells.html#model=gpt-4.1&status=invalid&sort=-cost'
    """
    return f"{CELLS}#{urlencode(filters, safe=',', errors='replace')}"


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


class Frame(NamedTuple):
    """What every page of a run says around its content; `notices` are plain-text lines that are
    shown on every page.
    """

    run_id: str
    prompt: str
    tool_version: str
    notices: tuple[str, ...] = ()


def page(
    frame: Frame,
    template: str,
    *,
    package: str,
    title: str,
    at: str = "",
    site: str = "",
    trail: Sequence[tuple[str, str]] = (),
    **content: object,
) -> bytes:
    """A page as HTML. Every text that the template prints is escaped, without control characters,
    on one line.

    The template is a file in the `templates` of a package; it extends `base.html.j2` and fills the
    block `content`; tables are shown by the macro `table` in `macros.html.j2`. `at` is the page's
    path in the site, empty for a page that is not part of one, which has its path to the folder
    `site`, empty for none; `trail` has the names and paths of the pages between the overview and
    this one.
    """
    content |= {"frame": frame, "title": title, "at": at, "site": site, "trail": trail}
    if at:
        content |= {"root": root_of(at), "policy": SITE_POLICY}
    html = environment(package).get_template(template).render(content)
    return html.encode("utf-8", errors="replace")


@cache
def environment(package: str) -> Environment:
    """The templates of a package and of this one, in which every text is escaped and on one
    line.
    """
    templates = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(_PACKAGE)]),
        auto_reload=False,
        autoescape=True,
        finalize=_on_one_line,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"lines": _lines, "code": _code, "clip": clip}
    templates.globals |= {
        "numbers": numbers,
        "zip": zip,
        "model_page": model_page,
        "cells_link": cells_link,
        "brief_page": brief_page,
        "scripts": SCRIPTS,
    }
    scripts = "".join(static(_PACKAGE, name) for name in SCRIPTS)
    templates.globals |= inline(static(_PACKAGE, STYLE), scripts)
    return templates


def _lines(text: str) -> Markup:
    """A text with its line ends, for the content of an element, where quotes need no escape."""
    escaped = str(escape(visible_lines(text)))
    return Markup(escaped.replace("&#34;", '"').replace("&#39;", "'"))


def _code(text: str) -> Markup:
    """A text on one line, with what is between backticks as code; a number in brackets stays on the
    line of the word before it.
    """
    joined = re.sub(r" (?=\(\d)", "\N{NO-BREAK SPACE}", str(escape(visible(text))))
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", joined))


def _on_one_line(value: object) -> object:
    """A text on one line; what a template has escaped already is not a plain `str` and is left as
    it is.
    """
    return visible(value) if type(value) is str else value


def site_assets() -> dict[str, bytes]:
    """The files that all pages of a site share, by their names in it."""
    return {name: static(_PACKAGE, name).encode() for name in (STYLE, *SCRIPTS, *CELL_SCRIPTS)}


def static(package: str, name: str) -> str:
    """The text of a file in a package's folder `static`."""
    return (files(package) / "static" / name).read_text(encoding="utf-8")


def inline(style: str, script: str) -> dict[str, str]:
    """The style sheet and the script of a page (our files), and the policy that allows them and
    nothing else.
    """
    policy = _policy_of(style, [script])
    return {"style": Markup(style), "script": Markup(script), "policy": policy}


def _policy_of(style: str, scripts: Iterable[str]) -> str:
    """The policy that allows these texts within a page, and nothing else."""
    allowed = f"style-src {_hash(style)}; script-src {' '.join(map(_hash, scripts))}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def single_file(files: Mapping[str, bytes]) -> bytes:
    """A site as one page, which shows every page of the site by the script `single.js`; `files` are
    those of the site by their paths.
    """
    texts = {name: content.decode() for name, content in sorted(files.items())}
    script = static(_PACKAGE, "single.js")
    scripts = [script]
    for name, text in texts.items():
        if name.endswith(".js"):
            texts[name] = text.replace("</", r"<\/").replace("<!", r"<\!")
            scripts.append(texts[name])
    shown = {
        "policy": _policy_of(texts[STYLE], scripts) + "; frame-src 'self' file:",
        "files": Markup(line(texts).decode().replace("<", r"\u003c")),
        "script": Markup(script),
    }
    return environment(_PACKAGE).get_template("single.html.j2").render(shown).encode()
