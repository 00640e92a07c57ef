"""`python -m stages.compare BASE [HEAD]`: which revision is better; `--history`, `--experiments`: several at once."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from stages.compare.comparer import Comparer
from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.options import Options, parse_options
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
    params = load_params()
    comparer = Comparer(revisions, params, options.settings(params.compare))
    if options.history:
        return _history(comparer, options)
    return _experiments(comparer, options) if options.experiments else _comparison(comparer, revisions, options)


def _comparison(comparer: Comparer, revisions: Revisions, options: Options) -> int:
    if options.models:
        result = comparer.models(options.base or WORKSPACE, *options.models)
    else:
        result = comparer.compare(options.base or "", options.head)
    insert = read_input(Path(options.insert)) if options.insert else ""
    Console(highlight=False).print(terminal(result))
    _write(options.markdown, lambda: markdown(result, insert=insert).encode())
    _write(options.json, lambda: document(result))
    _write(options.html, lambda: _page(result, Path(options.html or "")))
    if options.graphs is not None and isinstance(result, Comparison):
        _write(options.graphs, lambda: _graphs(result, revisions))
    elif options.graphs is not None:
        print(f"{options.graphs} was not written: there are no two sides to show", file=sys.stderr)
    return options.exit_code(result)


def _page(result: Comparison | Unmeasured, file: Path) -> bytes:
    from stages.compare.pages import comparison_page  # it loads the site and the charts: only on request

    has_site = (paths.SITE / "index.html").is_file()
    return comparison_page(result, site=Path(os.path.relpath(paths.SITE, file.parent)).as_posix() if has_site else "")


def _graphs(result: Comparison, revisions: Revisions) -> bytes:
    from stages.compare.pages import graphs_page  # it loads the site: only on request

    return graphs_page(result, revisions)


def _history(comparer: Comparer, options: Options) -> int:
    steps, skipped = comparer.history(options.base, rescore=options.rescore, limit=options.limit)
    _list(history_markdown(steps, skipped=skipped), options)
    _write(options.json, lambda: document(steps))
    return 0


def _experiments(comparer: Comparer, options: Options) -> int:
    base, results = comparer.experiments(options.base or "HEAD")
    _list(experiments_markdown(results, base=base), options)
    _write(options.json, lambda: document(results))
    return 0


def _list(text: str, options: Options) -> None:
    if sys.stdout.isatty():
        from rich.markdown import Markdown  # it brings a parser: only where it is shown

        Console(highlight=False).print(Markdown(text))
    else:
        print(text, end="")
    _write(options.markdown, text.encode)


def _write(file: str | None, content: Callable[[], bytes]) -> None:
    if file is None:
        return
    try:
        write_atomic(Path(file), content())
    except OSError as error:
        raise InputError([Problem(file, "", f"cannot be written: {error.strerror}")]) from None


if __name__ == "__main__":
    run(main)
