"""A settlement that version 0.2 began goes on, and what it has spent counts."""

from pathlib import Path

from stages.contracts.json_text import parse
from stages.settle import __main__ as settle
from tests.generate.earlier_projects import VERSION_0_2, EarlierProject

COMMAND = ("--prompt", "prompts/draft.txt", "--prompt", "prompts/draft-2.txt", "--looks", "1,2")


def test_a_settlement_of_version_0_2_is_read_and_its_spending_counts(tmp_path: Path) -> None:
    project = EarlierProject(tmp_path, VERSION_0_2)
    project.set(models=["c"], briefs=["b1", "b2", "b3", "b4", "b6", "b7"])
    file = tmp_path / "results/settle.json"
    before = parse(file.read_bytes())
    done = project.run(*COMMAND, "--max-usd", "0.17", main=settle.main, OPENAI_API_KEY="local")
    assert "$0.159 of --max-usd ($0.170) are spent" in done.stdout, done
    after = parse(file.read_bytes())
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    counted = ("stored_answers", "stored_usd", "calls", "usd", "earlier_looks")
    assert [after[key] for key in counted] == [before[key] for key in counted]
