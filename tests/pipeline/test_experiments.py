"""Experiments as a team makes them: queued, run two at a time, looked at, taken, shared, and paid for once."""

import time

import pytest

from tests.pipeline.project import ANSWERED, V20, V21

pytestmark = pytest.mark.pipeline


def wait_for_experiments(project, wanted):
    """Return once the queue's workers have stored so many experiments."""
    end = time.monotonic() + 300
    while len(project.run("git for-each-ref 'refs/exps/??/**'").splitlines()) < wanted:
        assert time.monotonic() < end, project.run("dvc queue status")
        time.sleep(0.5)


def test_experiments_of_a_fresh_clone_are_queued_run_by_two_workers_shared_and_paid_for_once(
    project, clone, server
):
    clone.run(f"dvc exp run --queue -S prompt={V20},{V21} score")
    clone.run(f"dvc exp run --queue --name newer -S prompt={V21} -S runtime.max_attempts=2")
    clone.run("dvc queue start -j 2")
    wait_for_experiments(clone, 3)
    # v20 was paid for by a colleague, v21 once by two experiments at a time
    assert server.calls.total() == ANSWERED

    clone.run("dvc exp push -q origin newer")
    project.run("dvc exp pull -q origin newer")
    project.run("dvc exp apply -q newer")
    pulled = project.results()
    assert "nothing was called" in project.run("dvc repro --force score")
    assert project.results() == pulled
    assert server.calls.total() == ANSWERED
