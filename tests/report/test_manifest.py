from stages.report.manifest import UNKNOWN, manifest_of
from tests.report.records import card, cells


def test_responses_without_a_manifest_are_reported_by_what_their_cells_tell() -> None:
    run = manifest_of(cells(card("b", "x"), card("a", "y", sample=3)))
    assert (run.run_id, run.prompt.path, list(run.models), list(run.briefs), run.samples) == (
        UNKNOWN, UNKNOWN, ["a", "b"], ["x", "y"], 3,
    )  # fmt: skip
