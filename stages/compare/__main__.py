"""`python -m stages.compare BASE [HEAD]`: which revision is better; `--history`, `--experiments`: several at once."""

import argparse
import os
import sys
from pathlib import Path

from rich.console import Console

from stages.compare.comparer import Comparer
from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.options import exit_code, parse_options
from stages.compare.revisions import WORKSPACE, Revisions
from stages.compare.views import document, experiments_markdown, history_markdown, markdown, terminal
from stages.contracts.errors import InputError, Problem
from stages.shell import paths
from stages.shell.command import run
from stages.shell.files import read_input, write_atomic
from stages.shell.inputs import load_params


def main() -> int:
    """Read, compare, show, write; the exit code states the verdict."""
    options = parse_options(sys.argv[1:])
    revisions = Revisions(Path.cwd())
    comparer = Comparer(revisions, load_params())
    if options.history:
        steps, skipped = comparer.history(options.base, rescore=options.rescore, limit=options.limit)
        _list(history_markdown(steps, skipped=skipped), document(steps), options)
        return 0
    if options.experiments:
        base, results = comparer.experiments(options.base or "HEAD")
        _list(experiments_markdown(results, base=base), document(results), options)
        return 0
    if options.models:
        return _show(comparer.models(options.base or WORKSPACE, *options.models), revisions, options)
    return _show(comparer.compare(options.base, options.head), revisions, options)


def _show(result: Comparison | Unmeasured, revisions: Revisions, options: argparse.Namespace) -> int:
    insert = read_input(Path(options.insert)) if options.insert else ""
    Console(highlight=False).print(terminal(result))
    _write(options.markdown, markdown(result, insert=insert).encode())
    _write(options.json, document(result))
    if options.html is not None:
        from stages.compare.pages import comparison_page  # it loads the site and the charts: only on request

        has_site = (paths.SITE / "index.html").is_file()
        site = Path(os.path.relpath(paths.SITE, Path(options.html).parent)).as_posix() if has_site else ""
        _write(options.html, comparison_page(result, site=site))
    if options.graphs is not None and isinstance(result, Comparison):
        from stages.compare.pages import graphs_page

        _write(options.graphs, graphs_page(result, revisions))
    elif options.graphs is not None:
        print(f"{options.graphs} was not written: there are no two sides to show", file=sys.stderr)
    return exit_code(result, options.fail_on)


def _list(text: str, found: bytes, options: argparse.Namespace) -> None:
    if sys.stdout.isatty():
        from rich.markdown import Markdown  # it brings a parser: only where it is shown

        Console(highlight=False).print(Markdown(text))
    else:
        print(text, end="")
    _write(options.markdown, text.encode())
    _write(options.json, found)


def _write(file: str | None, content: bytes) -> None:
    if file is None:
        return
    try:
        write_atomic(Path(file), content)
    except OSError as error:
        raise InputError([Problem(file, "", f"cannot be written: {error.strerror}")]) from None


if __name__ == "__main__":
    run(main)
