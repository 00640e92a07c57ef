"""`python -m stages.compare BASE [HEAD]`: compares two revisions and tells which is better;
`--history`, `--experiments`: several at once.
"""

import sys
from argparse import Namespace
from pathlib import Path

from stages.compare.comparer import Comparer
from stages.compare.comparison import Comparison, Unmeasured
from stages.compare.delivery import deliver_list, deliver_result
from stages.compare.options import exit_code, parse_options
from stages.compare.revisions import WORKSPACE, Revisions
from stages.compare.views import experiments_markdown, history_markdown
from stages.shell.command import run
from stages.shell.inputs import load_params


def main() -> int:
    """Read, compare, show, write; the exit code states the verdict."""
    options = parse_options(sys.argv[1:])
    revisions = Revisions(Path.cwd())
    comparer = Comparer(revisions, load_params())
    if options.history:
        steps, skipped = comparer.history(
            options.base, rescore=options.rescore, limit=options.limit
        )
        deliver_list(history_markdown(steps, skipped=skipped), steps, options)
        return 0
    if options.experiments:
        base, results = comparer.experiments(options.base or "HEAD")
        deliver_list(experiments_markdown(results, base=base), results, options)
        return 0
    result = _compare(comparer, options)
    deliver_result(result, revisions, options)
    return exit_code(result, options.fail_on)


def _compare(comparer: Comparer, options: Namespace) -> Comparison | Unmeasured:
    if options.models:
        return comparer.models(options.base or WORKSPACE, *options.models)
    return comparer.compare(options.base, options.head)


if __name__ == "__main__":
    run(main)
