"""The graphs of two revisions that a review shows: why one cannot be read is said."""

import pytest

from graph_evaluator.compare.comparer import Comparer
from graph_evaluator.records.errors import InputError
from graph_evaluator.records.response import Cell
from graph_evaluator.records.review import ShownGraph
from graph_evaluator.review.__main__ import graphs_of_revisions
from tests.builders.responses import response
from tests.compare.cards import BASE, cards, manifest, side
from tests.compare.repository import Results

pytestmark = pytest.mark.pipeline
ANSWER = response(Cell("m", "b01", 1), parsed_graph={})


@pytest.fixture(name="results")
def _results(tmp_path, monkeypatch):
    """The answer of a revision and of the working tree, whose scores are given."""
    results = Results(tmp_path / "repository")
    results.write(briefs={"params.yaml": "prompt: p.txt\nmodels: ['*']\nbriefs: ['*']\n"})
    results.record(manifest(), cards(BASE), [ANSWER], tag="v1")
    base = side(cards(BASE), "v1", revision=results.git("rev-parse", "v1"))
    head = side(cards(BASE), "workspace", revision=None, run=manifest(run_id="head"))
    monkeypatch.setattr(Comparer, "comparable", lambda *_: (base, head))
    monkeypatch.chdir(results.folder)
    return results


def refused(run_id):
    shown = ShownGraph(model_id="m", sample=1, fingerprint=None, side=run_id)
    with pytest.raises(InputError) as caught:
        graphs_of_revisions("v1").graph("b01", shown)
    return str(caught.value)


def test_answers_that_are_stored_nowhere_are_named(results):
    results.lose_cache()
    said = refused(manifest().run_id)
    assert "results/responses/m/b01/response.json of v1 is neither in DVC's cache" in said
