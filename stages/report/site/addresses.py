"""Addresses: where every page is, made from ids that were checked, never from what a model wrote."""

from stages.contracts.cell import Cell
from stages.contracts.model_config import IDENTIFIER

OVERVIEW = "index.html"


class UnsafeId(ValueError):
    """An id that cannot be a file name."""


def _checked(identifier: str) -> str:
    if not IDENTIFIER.fullmatch(identifier):
        raise UnsafeId(f"not an id: {identifier!r:.100}")
    return identifier


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
