"""The comparison as one self-contained HTML page: no script, nothing loaded from elsewhere, every name escaped."""

import jinja2

from stages.compare import wording
from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.forest import forest
from stages.shell import numbers
from stages.shell.text import visible


def _shown(value: object) -> object:
    return visible(value) if type(value) is str else value  # what a macro made is markup, and stays as it is


_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("stages.compare", "templates"),
    autoescape=True,
    finalize=_shown,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(result: Comparison | Unmeasured) -> str:
    """The page's text."""
    plot = None
    if isinstance(result, Comparison):
        rows = (("all models", result.scores), *((each.model_id, each.effect) for each in result.models))
        plot = forest(rows, result.settings.min_difference)
    return _TEMPLATES.get_template("compare.html.j2").render(
        result=result, measured=isinstance(result, Comparison), plot=plot, numbers=numbers, wording=wording
    )
