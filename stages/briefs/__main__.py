"""`python -m stages.briefs [ID]`: shows what the stored graphs of a brief say about the concepts
and effects in its front-matter; without ID, one line for each brief.
"""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType

from stages.briefs.findings import (
    StoredGraph,
    alias_table,
    effect_table,
    summary_table,
    unnamed_words,
)
from stages.contracts.brief import Brief
from stages.contracts.codebook import Codebook
from stages.contracts.errors import InputError, Problem, nearest
from stages.contracts.graph import read
from stages.present.terminal import open_console, show_table, show_text
from stages.score import Scorer
from stages.score.fidelity.mentions import CodedLabels
from stages.score.response_files import read_response, response_files
from stages.shell import paths
from stages.shell.command import command_parser, run
from stages.shell.inputs import load_briefs, load_codebooks, load_params, load_prompt
from stages.shell.numbers import counted

_DESCRIPTION = """\
Show, for the valid graphs of a brief in results/responses, which labels each alias matches, the
outcome of each stated effect, and words of many labels that no alias has. Without ID: whether the
graphs of each brief can be checked, and how many stated effects they have right. Calls no model
and writes nothing."""
_NO_GRAPHS = f"""\
There is no valid graph of it in {paths.RESPONSES.as_posix()}: run generate first. The front-matter
has no mistakes."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the findings of one brief, or a line for each."""
    parser = command_parser("briefs", _DESCRIPTION, "", "07-clinic-no-shows")
    parser.add_argument("brief", metavar="ID", nargs="?", help="a brief in briefs/")
    wanted: str | None = parser.parse_args(arguments).brief
    briefs = {brief.id: brief for brief in load_briefs()}
    if wanted is not None and wanted not in briefs:
        message = f'there is no brief "{wanted}"{nearest(wanted, briefs)}'
        raise InputError([Problem(paths.BRIEFS.as_posix(), "", message)])
    shown = [briefs[wanted]] if wanted is not None else list(briefs.values())
    codebooks = load_codebooks(briefs.values())
    graphs = _stored_graphs(shown, codebooks)
    console = open_console()
    table = summary_table((brief, graphs[brief.id]) for brief in shown)
    console.print(*show_table(table, console.width), sep="\n")
    if wanted is not None:
        brief = briefs[wanted]
        coded = CodedLabels(brief, codebooks.get(wanted))
        findings = _findings(brief, coded, graphs[wanted], console.width)
        console.print(*findings, sep="\n")


def _stored_graphs(
    briefs: Sequence[Brief], codebooks: Mapping[str, Codebook]
) -> dict[str, list[StoredGraph]]:
    """The valid graphs of each brief, scored by its present front-matter."""
    params = load_params()
    scorer = Scorer(params.score, briefs, load_prompt(params.prompt), (), codebooks)
    graphs: dict[str, list[StoredGraph]] = {brief.id: [] for brief in briefs}
    for file in response_files(paths.RESPONSES):
        response = read_response(file.read_bytes(), file=file.as_posix())
        if response.brief_id in graphs:
            card = scorer.score(response)
            if card.structural_valid:
                graph, _ = read(response.parsed_graph)
                graphs[response.brief_id].append(StoredGraph(graph, card))
    return graphs


def _findings(
    brief: Brief, coded: CodedLabels, graphs: Sequence[StoredGraph], width: int
) -> Iterator[RenderableType]:
    expectations = brief.expectations
    if not expectations.effects:
        yield show_text("The front-matter states no effects: docs/fidelity.md shows how.")
    if not graphs:
        yield show_text(_NO_GRAPHS)
        return
    if expectations.options or expectations.concepts:
        yield from show_table(alias_table(brief, coded, graphs), width)
    if expectations.effects:
        yield from show_table(effect_table(brief, graphs), width)
    words = ", ".join(unnamed_words(brief, coded, graphs)) or "none"
    in_graphs = counted(len(graphs), "valid graph")
    yield show_text(f"Words of labels that no alias has, with the number of graphs: {words}.")
    yield show_text(f"From {in_graphs} in {paths.RESPONSES.as_posix()}.", "dim")


if __name__ == "__main__":
    run(main)
