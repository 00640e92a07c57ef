"""The cap holds over all runs of the same command, whatever the server does and reports."""

import pytest

from tests.builders.provider import answer_body
from tests.settle.settling import (
    GOOD,
    PRICE,
    PROMPTS,
    SettleWorkspace,
    always_open,
    clearly_better,
    counting,
    ended,
    settling,
)

ONE_BY_ONE = {"max_concurrency": 1, "warm_prompt_cache": False}
OTHERS = (*PROMPTS[:2], "--prompt", "prompts/other.txt")


def without_usage(_name, _nth):
    """An answer whose cost nobody can know."""
    return 200, answer_body(GOOD, usage=None)


def beyond_the_bound(_name, _nth):
    """An answer of 50,000 tokens, where 1,000 are the most, for $0.40."""
    return 200, answer_body(GOOD, usage={"input_tokens": 1, "output_tokens": 50_000})


@pytest.mark.parametrize(
    ("answering", "cap", "calls"),
    [(without_usage, "0.1", 12), (beyond_the_bound, "1", 2)],
    ids=["no usage", "longer than allowed"],
)
def test_starting_again_also_with_a_restarted_server_spends_nothing_beyond_the_cap(
    tmp_path, answering, cap, calls
):
    port, called = 0, 0
    for _ in range(3):
        with counting(answering, port=port) as server:
            port = server.port
            if not called:
                workspace = SettleWorkspace(tmp_path, server.url, runtime=ONE_BY_ONE)
            done = workspace.settle(*PROMPTS, "--max-usd", cap)
            called += server.calls.total()
        assert done.returncode == 4
        assert called == calls
        assert ended(done).usd <= float(cap)
    assert ended(done).calls == calls


def test_two_questions_in_turns_forget_neither_their_cost_nor_their_interim_analyses(tmp_path):
    cap = ("--max-usd", f"{20 * PRICE}")
    with settling(tmp_path, always_open, runtime=ONE_BY_ONE) as (server, workspace):
        workspace.write("prompts/other.txt", "Draft one more decision graph.\n")
        counts = []
        for question in (PROMPTS, OTHERS, PROMPTS, OTHERS):
            done = workspace.settle(*question, *cap)
            counts.append((server.calls.total(), ended(done).calls))
        planned = workspace.settle(*PROMPTS, "--dry-run").stdout
    assert counts[0] == (19, 19)
    assert counts[2:] == [(counts[1][0], 19), counts[1]]
    assert "Paid for this question so far: 19 answers, $0.114." in planned


def test_answers_of_other_commands_are_used_and_do_not_count(tmp_path):
    with settling(tmp_path, clearly_better) as (_, workspace):
        workspace.run()
        done = workspace.settle(*PROMPTS, "--max-usd", "9")
    assert ended(done)[2:] == (8, pytest.approx(8 * PRICE))
