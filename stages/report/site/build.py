"""The whole site as a stream of files."""

from collections.abc import Iterator, Mapping

from stages.contracts.brief import Brief
from stages.report.digest import Digest
from stages.report.site.evidence import Each, Find, Page, one_by_one


def build(digest: Digest, briefs: Mapping[str, Brief], find: Find, each: Each = one_by_one) -> Iterator[Page]:
    """Every file of the site, one after another: what is yielded can be written and forgotten.

    Args:
        digest: All findings of the run.
        briefs: The briefs by id; a cell's brief may be missing.
        find: Reads the scorecard and the response of a cell; asked for each cell once, and again for graphs that are compared.
        each: How the function that makes a cell's page is applied to all cells.

    Yields:
        Relative paths (made from validated ids only) and contents. Equal inputs give equal bytes.
    """
    yield "index.html", b""
