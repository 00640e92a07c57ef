"""Several experiments against the commit that they were started from."""

from stages.compare.comparison import Unmeasured, compare
from stages.compare.views import experiments_markdown
from stages.contracts.run import PromptRef
from tests.compare.cards import BASE, BETTER, PARAMS, cards, manifest, side

GAIN = compare(
    side(cards(BASE)),
    side(cards(BETTER), "new-prompt", run=manifest(prompt=PromptRef(path="p21.txt", sha256="x"))),
    PARAMS,
)
LOST = Unmeasured(base="main", head="lost", reasons=("its scorecards are <gone>",))


def test_each_experiment_has_a_row_with_its_prompt_its_difference_and_its_verdict() -> None:
    text = experiments_markdown([GAIN], base="main")
    row = next(line for line in text.splitlines() if "new-prompt" in line)
    for part in ("`p21.txt`", "1 model, 10 briefs", "0.723", "+0.363 (", "100% (10/10)", "better"):
        assert part in row


def test_an_experiment_without_results_is_shown_with_the_reason() -> None:
    text = experiments_markdown([LOST], base="main")
    assert "could not measure" in next(
        line for line in text.splitlines() if line.startswith("| `lost`")
    )
    assert "- lost: its scorecards are &lt;gone&gt;" in text


def test_several_experiments_are_reported_as_judged_one_by_one() -> None:
    assert "judged by itself" in experiments_markdown([GAIN, LOST], base="main")
    assert "judged by itself" not in experiments_markdown([GAIN], base="main")


def test_without_experiments_it_says_how_to_make_one() -> None:
    assert "No experiment was started from `HEAD`: `dvc exp run`" in experiments_markdown(
        [], base="HEAD"
    )
