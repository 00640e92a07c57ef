import base64
import hashlib

from graph_evaluator.present.page import Frame, page
from tests.report.page import Read


def test_a_page_of_its_own_has_its_style_and_its_script_in_it_and_allows_nothing_else():
    frame = Frame("run", "prompt", "1")
    template, package = "glossary.html.j2", "graph_evaluator.report.site"
    content = page(frame, template, package=package, title="Glossary", terms={}, codes=[])
    read = Read(content.decode())
    (policy,) = [meta["content"] for meta in read.all("meta") if "http-equiv" in meta]
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert allowed["default-src"] == "'none'"
    for tag in ("style", "script"):
        digest = hashlib.sha256("".join(read.inline[tag]).encode()).digest()
        assert allowed[f"{tag}-src"] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert read.all("link") == []
