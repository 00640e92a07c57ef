import re
import subprocess

import pytest

from generators.readme import README, ROOT, render
from generators.reference import REFERENCE, render_reference

TEXT = README.read_text()
DOCUMENTS = [README, *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md"]


def test_the_leaderboard_in_the_readme_is_that_of_the_shipped_run():
    summary = (ROOT / "results/summary.md").read_text()
    assert render(TEXT, summary) == TEXT, "run: make readme"


def test_the_reference_is_what_the_code_says():
    assert render_reference() == REFERENCE.read_text(), "run: make reference"


def test_the_readme_stays_short():
    assert len(TEXT.splitlines()) <= 100


def anchors(document):
    """The anchors of the headings of a page, as git hosts make them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_of_a_document_leads_to_a_file_and_a_heading(document):
    links = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", document.read_text())
    wrong = []
    for name, anchor in links:
        target = document.parent / name if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(f"{name}#{anchor}")
    assert wrong == []


def test_every_make_target_that_the_documents_name_exists():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)
    text = "".join(document.read_text() for document in DOCUMENTS)
    assert set(re.findall(r"`make ([a-z-]+)", text)) <= {*targets}


def test_no_committed_file_names_a_machine_path_or_a_registry():
    paths = r"""(^|[[:space:]"'=(])/(work|farm|root|home/\w+)/"""
    registries = "https?://[^[:space:]/]*/(simple|packages)/"
    command = ["git", "grep", "-IlE", f"{paths}|{registries}", "--", ":!*.jsonl"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")
