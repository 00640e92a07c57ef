"""`graph-evaluator briefs new|check|code|draft|invent`: starts, checks, codes and drafts briefs,
and makes up new ones.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from graph_evaluator.briefs.asking import (
    CODING_INSTRUCTIONS,
    DRAFTING_INSTRUCTIONS,
    LabelCoding,
    answers_by_text,
    cells_asked,
    draft_lines,
    draft_request,
    undrafted_keys,
)
from graph_evaluator.briefs.checking import (
    StoredGraph,
    alias_table,
    effect_table,
    mistakes_in,
    summary_of,
)
from graph_evaluator.briefs.made_up import LANGUAGES, InventedDecision, made_up_text
from graph_evaluator.generate.cap_options import (
    add_cap,
    budget_of,
    problems_of_cap,
    problems_of_model,
)
from graph_evaluator.generate.fetching import open_fetcher
from graph_evaluator.generate.forecast import cost_line
from graph_evaluator.generate.plan.loading import load_changed_plans
from graph_evaluator.graph.causal_model import CausalModel, Topology
from graph_evaluator.present.terminal import open_console, show_table
from graph_evaluator.records.brief import Brief, parse_brief, with_front_matter
from graph_evaluator.records.codebook import Codebook
from graph_evaluator.records.errors import NotAnswered, Problem, input_error, refuse
from graph_evaluator.records.graph import read
from graph_evaluator.records.model_config import ID_RULE, IDENTIFIER
from graph_evaluator.score.fidelity.effects import read_by_words
from graph_evaluator.score.fidelity.subject import BriefContent, Draft
from graph_evaluator.score.structure import violations
from graph_evaluator.shell import paths
from graph_evaluator.shell.command import command_parser, run, show
from graph_evaluator.shell.inputs import load_briefs, load_codebooks, load_params, select_briefs
from graph_evaluator.shell.numbers import counted
from graph_evaluator.shell.paths import environment_variables, read_input, write_atomic
from graph_evaluator.shell.results import load_response, response_files
from graph_evaluator.shell.text import visible

_INTRODUCTION = """\
When to use it: you write briefs and want to know whether graphs have their effects right.
new: writes a brief with commented front-matter to fill in.
check: prints mistakes in what briefs state, and what the valid graphs in results/responses say \
about it. For named briefs it shows the labels that each alias and code matches, and each effect.
code: a model says twice which concept each label without a code expresses. Codes on which both \
answers agree are written to codebooks/ID.yaml; the others are listed.
draft: a model states options, concepts and effects from the text of a brief. They are shown; with \
--write they go into the front-matter, marked until you have checked them.
invent: writes briefs in invented names whose graph is known, so content is exact without a \
codebook. The same seed gives the same briefs. Levels: 1 one effect a sentence; 2 turned clauses, \
denials and irrelevant numbers; 3 episodes, an excluded option, more than twelve nodes."""
_EXAMPLES = (
    "new 17-harbour-ferry",
    "check 07-clinic-no-shows",
    "code --by simulated-coder --dry-run",
    "draft 09-vague-growth --by simulated-coder --max-usd 1",
    "invent --seed 7 --count 12 --level 2 --language en",
)

MAX_SEED, MAX_COUNT = 999_999_999, 99


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one of the commands."""
    options = _parser().parse_args(arguments)
    options.run(options)


def _parser() -> ArgumentParser:
    parser = command_parser("briefs", _INTRODUCTION, *_EXAMPLES)
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="new|check|code|draft|invent"
    )
    new = commands.add_parser("new", help="write a brief to fill in")
    new.set_defaults(run=_write_new_brief)
    new.add_argument("id", metavar="ID", help="its file will be briefs/ID.md")
    invent = commands.add_parser("invent", help="write made-up briefs with a known graph")
    invent.set_defaults(run=_write_made_up_briefs)
    invent.add_argument("--seed", type=int, required=True, metavar="N", help="which briefs")
    invent.add_argument("--count", type=int, required=True, metavar="N", help="how many")
    invent.add_argument("--level", type=int, choices=(1, 2, 3), default=2, help="how hard (2)")
    invent.add_argument("--language", choices=LANGUAGES, default="en", help="of the text (en)")
    check = commands.add_parser("check", help="show mistakes, and what graphs say about the briefs")
    code = commands.add_parser("code", help="code labels with a model")
    draft = commands.add_parser("draft", help="draft options, concepts and effects with a model")
    for command, least, action in ((check, "*", _check), (code, "*", _code), (draft, "+", _draft)):
        command.set_defaults(run=action)
        ids = "briefs in briefs/"
        command.add_argument("briefs", metavar="ID", nargs=least, default=["*"], help=ids)
    for command in (code, draft):
        command.add_argument("--by", required=True, metavar="MODEL", help="a model in models/")
        add_cap(command)
    write = "write what the answer states into the front-matter"
    draft.add_argument("--write", action="store_true", help=write)
    return parser


def _stored_graphs(
    briefs: Sequence[Brief], codebooks: Mapping[str, Codebook]
) -> dict[str, list[StoredGraph]]:
    """The valid graphs of each brief, read by its present front-matter and codebook."""
    rules = load_params().score
    subjects = {brief.id: BriefContent(brief, codebooks.get(brief.id)) for brief in briefs}
    graphs: dict[str, list[StoredGraph]] = {brief.id: [] for brief in briefs}
    for file in response_files(paths.RESPONSES):
        response = load_response(file)
        subject = subjects.get(response.cell.brief_id)
        if subject is None or response.answer.status != "success":
            continue
        graph, problems = read(response.answer.graph)
        topology = Topology(graph)
        if not violations(topology, problems):
            draft = Draft(CausalModel(topology, rules.status_quo_pattern))
            stored = StoredGraph(graph, read_by_words(draft, subject))
            graphs[response.cell.brief_id].append(stored)
    return graphs


def _check(options: Namespace) -> None:
    """Print a summary and the mistakes of each brief, and tables of named ones that have graphs."""
    briefs, codebooks = select_briefs(options.briefs, "command line"), load_codebooks(load_briefs())
    console = open_console()
    graphs = _stored_graphs(briefs, codebooks)
    for brief in briefs:
        stored = graphs[brief.id]
        if stored and options.briefs != ["*"]:
            aliases = alias_table(brief, codebooks.get(brief.id), stored)
            for table in (aliases, effect_table(brief, stored)):
                if table.rows:
                    console.print(*show_table(table, console.width), sep="\n")
        show(f"{brief.id}: {summary_of(brief, stored)}")
        for mistake in mistakes_in(brief):
            show(f"{brief.id}: {mistake}")


def _code(options: Namespace) -> None:
    """Have the labels of stored graphs coded; those on which the two answers differ are listed."""
    briefs, codebooks = select_briefs(options.briefs, "command line"), load_codebooks(load_briefs())
    stored = _stored_graphs(briefs, codebooks)
    graphs = {brief: [entry.graph for entry in entries] for brief, entries in stored.items()}
    coding = LabelCoding(briefs, codebooks, graphs)
    labels = sum(len(labels) for _, labels in coding.requests.values())
    subject = f"{counted(labels, 'label')} without a code"
    answers = _ask(briefs, options, CODING_INSTRUCTIONS, coding.requests, subject, times=2)
    if answers:
        coding.write(answers, options.by)


def _draft(options: Namespace) -> None:
    """Draft what the briefs do not state; it is printed, and with `--write` put into the briefs."""
    briefs = select_briefs(options.briefs, "command line")
    requests = {draft_request(brief): brief for brief in briefs if undrafted_keys(brief)}
    subject = f"{counted(len(requests), 'brief')} to draft"
    answers = _ask(briefs, options, DRAFTING_INSTRUCTIONS, requests, subject, times=1)
    for request, (answer,) in answers.items():
        brief = requests[request]
        lines = draft_lines(answer, brief, options.by)
        if lines is None:
            show(f"{brief.id}: the answer is not a draft")
            continue
        show(f"{brief.id}: {'the answer states' if lines else 'the answer states nothing new'}")
        for line in lines.splitlines():
            show(f"  {visible(line)}")
        if options.write and lines:
            file = paths.BRIEFS / f"{brief.id}.md"
            text = with_front_matter(read_input(file), lines)
            parse_brief(brief.id, text, file.as_posix())
            write_atomic(file, text.encode())
            show(f"  written to {file.as_posix()}")


def _ask(
    briefs: Sequence[Brief],
    options: Namespace,
    instructions: str,
    texts: Collection[str],
    subject: str,
    times: int,
) -> Mapping[str, Sequence[str]]:
    """Print how many calls are missing and what they cost, then make them. Each text gets `times`
    answers; none in a dry run. An answer that was paid for is never called for again.

    Raises:
        InputError: there is no such model, or a key or a price is missing.
        NotAnswered: an answer is missing.
    """
    variables, params = environment_variables(), load_params()
    runtime = params.runtime.model_copy(update={"mode": "direct"})
    changes = {"models": (options.by,), "runtime": runtime}
    (plan,) = load_changed_plans(params, [changes], 1, variables)
    refuse([*problems_of_model("--by", options.by, plan), *problems_of_cap(options)])
    budget = budget_of("briefs", options, plan._replace(briefs=tuple(briefs)))
    plan = plan._replace(cells=cells_asked(plan.models[0], instructions, texts, times))
    with open_fetcher(plan, variables, budget, read_only=options.dry_run) as fetcher:
        missing = fetcher.missing()
        show(f"{subject}; {cost_line(fetcher.forecast(missing))}")
        if options.dry_run or not texts:
            return {}
        fetcher.announce(missing)
        faults = list(fetcher.fetch().values())
        show(f"Used so far: {fetcher.paid('call')}.")
        if faults:
            failure = visible(f"an answer is missing: {faults[0].status}: {faults[0].message}")
            raise NotAnswered(f"{failure}; the same command continues")
        return answers_by_text(plan.cells, fetcher.ledger)


def _write_new_brief(options: Namespace) -> None:
    """Write a brief with commented front-matter, whose text is to be written."""
    if not IDENTIFIER.fullmatch(options.id):
        raise input_error("command line", "ID", f"must be {ID_RULE}")
    template = files("graph_evaluator.briefs").joinpath("new_brief.md").read_text("utf-8")
    (file,) = _write_briefs({options.id: template})
    show(f"written: {file.as_posix()}")
    show(
        "Replace the options and write the decision below the second line ---, in 30 to 400 words."
    )


def _write_made_up_briefs(options: Namespace) -> None:
    """Write made-up briefs; those that are there already stay as they are."""
    limits = {"seed": (0, MAX_SEED), "count": (1, MAX_COUNT)}
    refuse(
        Problem("command line", f"--{name}", f"must be from {least} to {most}")
        for name, (least, most) in limits.items()
        if not least <= getattr(options, name) <= most
    )
    decisions = [
        InventedDecision(options.seed, number, options.level, options.language)
        for number in range(1, options.count + 1)
    ]
    written = _write_briefs({decision.id: made_up_text(decision) for decision in decisions})
    first, last = written[0].as_posix(), written[-1].name
    show(f"{counted(len(written), 'brief')} written: {first} to {last}")


def _write_briefs(texts: Mapping[str, str]) -> list[Path]:
    """Write all of the briefs, or none where a file has another text.

    Raises:
        InputError: the files with another text.
    """
    contents = {Path(paths.BRIEFS, f"{name}.md"): text.encode() for name, text in texts.items()}
    others = [
        file for file, content in contents.items() if file.exists() and file.read_bytes() != content
    ]
    message = "exists with another text; nothing was written"
    refuse(Problem(file.as_posix(), "", message) for file in others)
    for file, content in contents.items():
        write_atomic(file, content)
    return list(contents)


if __name__ == "__main__":
    run(main)
