"""The command as a whole: what it ends with, and what it writes."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from stages.compare.__main__ import main
from stages.contracts.errors import InputError
from stages.contracts.params import Params
from stages.score import rules_sha256
from tests.compare.cards import BASE, BETTER, card, cards, manifest
from tests.compare.repository import Results

pytestmark = pytest.mark.pipeline

PARAMS = "prompt: prompts/v20.txt\nmodels: ['*']\nbriefs: ['*']\n"
TODAY = rules_sha256(Params.model_validate({"prompt": "p", "models": ["*"], "briefs": ["*"]}).score)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two runs, the second one better, and one of another model; only for reading."""
    made = Results(tmp_path_factory.mktemp("main") / "repository")
    made.write(briefs={"params.yaml": PARAMS})
    made.record(manifest(run_id="one"), cards(BASE, rules=TODAY, fingerprint="f"), tag="v1")
    made.record(manifest(run_id="two"), cards(BETTER, rules=TODAY), tag="v2")
    made.record(manifest(run_id="another"), cards(BASE, rules=TODAY, model="n"), tag="another")
    return made


@pytest.fixture(autouse=True)
def here(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the repository."""
    monkeypatch.chdir(results.folder)


def ended(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["compare", *arguments])
    return main()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(("v1", "v2"), 0, id="better"),
        pytest.param(("v2", "v1"), 1, id="worse"),
        pytest.param(("v1", "v1"), 0, id="unchanged"),
        pytest.param(
            ("v1", "workspace", "--fail-on", "not-run"),
            4,
            id="could not measure, no answers of these inputs",
        ),
        pytest.param(("--history",), 0, id="a list has no verdict"),
    ],
)
def test_the_command_ends_with_the_code_of_its_verdict(
    arguments: tuple[str, ...], code: int, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "workspace" in arguments:
        results.write(briefs={"prompts/v20.txt": "Draft.\n", "models/m.json": MODEL})
    assert ended(monkeypatch, *arguments) == code


LEVELS = [0.70 + 0.01 * (index % 5) for index in range(16)]
LOW = [0.05] * 16


def moved(gain: float, spread: float = 0.02, failing: int = 0) -> list[float | None]:
    """The scores of `LEVELS`, each higher by the gain and a little; the first ones fail."""
    gains = [gain + spread * (index % 3 - 1) for index in range(16)]
    moves = zip(LEVELS, gains, strict=True)
    return [None if index < failing else a + b for index, (a, b) in enumerate(moves)]


def model_of(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


CASES: dict[str, tuple[Sequence[float | None], Sequence[float | None], int, Sequence[str]]] = {
    "better": (LEVELS, moved(0.1), 0, (
        "better: ", "The interval of the difference lies above 0: it is more than noise.", "Next: take the candidate.",
        "of the baseline: +0.099 (95% interval +0.090 to +0.108) over 16 briefs and 1 model.",
        "What would change this: ", "Briefs: candidate won 16, lost 0, 0 equal")),
    "worse": (LEVELS, moved(-0.1), 1, ("worse: ", "lies below 0", "Next: keep the baseline.")),
    "equal": (LOW, [*LOW[:15], 0.051], 0, ("no meaningful difference: ", "lies within ±0.02,", "Next: take the side that costs less")),
    "more failures": (LEVELS, moved(0.1, failing=1), 3, (
        "cannot tell: ", "candidate 1 of 16 (interval 1% to 27%)", "baseline none of 16, up to about 19% may fail",
        "Briefs: candidate won 15, lost 1", "Next: keep the baseline, or run more briefs or samples.")),
    "fewer failures": (moved(0, 0, failing=5), moved(0.1), 0, ("better: ", "Few briefs with rare large losses; a failure that")),
    "either": (LEVELS, moved(0.03, 0.2), 3, ("cannot tell: ", "may be noise", "is found, four times in five, with about")),
}  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A run with a base and a head for every row of the table of claims."""
    made = Results(tmp_path_factory.mktemp("claims") / "repository")
    made.write(briefs={"params.yaml": PARAMS})
    run = []
    for name, (base, head, _, _) in CASES.items():
        for side, scores in (("base", base), ("head", head)):
            for index, score in enumerate(scores):
                codes = () if score is not None else ("CYCLE",)
                model = f"{model_of(name)}-{side}"
                run.append(
                    card(score or 0.0, model=model, brief=f"b{index}", rules=TODAY, codes=codes)
                )
    made.record(manifest(), run, tag="table")
    return made


@pytest.mark.parametrize("name", CASES)
def test_every_verdict_has_its_sentences_its_next_step_and_its_exit_code(
    name: str, table: Results, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(table.folder)
    model = model_of(name)
    code = ended(monkeypatch, "table", "--models", f"{model}-base", f"{model}-head")
    printed = " ".join(capsys.readouterr().out.split())
    _, _, expected, sentences = CASES[name]
    assert code == expected, printed
    assert [sentence for sentence in sentences if sentence not in printed] == [], printed


def test_runs_without_a_common_model_are_named_with_what_to_compare_instead(
    results: Results, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, "v1", "another") == 4
    printed = " ".join(capsys.readouterr().out.split())
    assert "no model in common: v1 ran m, another n; compare runs of the same models" in printed


def test_every_format_is_written_where_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {form: tmp_path / f"report.{form}" for form in ("markdown", "json", "html")}
    ended(
        monkeypatch,
        "v1",
        "v2",
        *(part for form, file in files.items() for part in (f"--{form}", str(file))),
    )
    assert files["markdown"].read_text(encoding="utf-8").startswith("### 🟢 Better: v2 against v1")
    assert json.loads(files["json"].read_text(encoding="utf-8"))["verdict"] == "better"
    assert "<h1>Better</h1>" in files["html"].read_text(encoding="utf-8")


def test_a_page_that_is_written_is_in_the_menu_of_the_site(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended(monkeypatch, "v1", "v2", "--html")
    ended(monkeypatch, "--history", "--html")
    menu = (results.folder / "results/pages.js").read_text(encoding="utf-8")
    for page, title in (
        ("compare.html", "Comparison: v2 against v1"),
        ("history.html", "History of the runs"),
    ):
        assert f'"{page}": "{title}"' in menu
        assert (results.folder / "results" / page).is_file()


def test_a_file_that_cannot_be_written_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        ended(monkeypatch, "v1", "v2", "--json", str(tmp_path))


MODEL = '{"id": "m", "display_name": "M", "provider": "simulated", "model": "sim-careful", "target_mode": "fast"}'
