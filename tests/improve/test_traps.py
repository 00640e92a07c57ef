"""Proposers that cheat are accepted 0 times, and the simulated ones can be tried offline."""

import shutil
from pathlib import Path

from tests.generate.workspace import REPOSITORY
from tests.improve.improving import (
    BETTER,
    GOOD,
    OPTIONS,
    POOR,
    ImproveWorkspace,
    proposed,
    proposing,
)

EXAMPLE = "we rent nine boats and lose two of them to rot in every winter"
OFFLINE = ("--by", "simulated-proposer", "--models", "simulated-obedient", "--max-usd", "9", "--rounds", "4")  # fmt: skip


def test_a_proposer_that_copies_a_brief_is_refused(tmp_path: Path) -> None:
    def graph(prompt: str, number: int, _nth: int) -> str:
        return GOOD if EXAMPLE in prompt else POOR[number % 2]

    with proposing(proposed(f"Draft nodes and edges as in: {EXAMPLE}."), graph) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        for number in range(1, 25):
            workspace.write(
                f"briefs/b{number}.md",
                f"---\ncomplexity: simple\n---\n\nbrief {number} {EXAMPLE}\n",
            )
        workspace.improve(*OPTIONS)
    found = workspace.improvement()
    assert workspace.outcome()["ended"] != "proven"
    assert {refusal["reason"] for refusal in found["refusals"]} == {
        "it copies a passage of a brief"
    }


def test_a_proposer_that_tunes_to_the_briefs_that_learn_is_not_accepted(tmp_path: Path) -> None:
    learned: set[int] = set()

    def graph(prompt: str, number: int, _nth: int) -> str:
        return GOOD if "better" in prompt and number in learned else POOR[number % 2]

    with proposing(proposed(BETTER), graph) as server:
        workspace = ImproveWorkspace(tmp_path, server.url)
        workspace.improve(*OPTIONS, "--rounds", "1")
        learned |= {int(brief[1:]) for brief in workspace.improvement()["parts"]["learn"]}
        shutil.rmtree(tmp_path / ".ledger")
        workspace.improve()
    found = workspace.improvement()
    tuned = found["candidates"][1]
    assert tuned["learn"] > found["candidates"][0]["learn"]
    assert tuned["choose"] == found["candidates"][0]["choose"]
    assert workspace.outcome()["ended"] != "proven"


def test_the_simulated_models_improve_a_shipped_prompt_offline(tmp_path: Path) -> None:
    workspace = ImproveWorkspace(tmp_path, None)
    for folder in ("prompts", "briefs", "models"):
        shutil.rmtree(tmp_path / folder)
        shutil.copytree(REPOSITORY / folder, tmp_path / folder)
    done = workspace.improve("--prompt", "prompts/draft_graph_v20.txt", *OFFLINE)
    assert done.returncode == 0, done.stderr
    found = workspace.improvement()
    scores = [candidate["choose"] for candidate in found["candidates"]]
    assert max(scores) > scores[0]
