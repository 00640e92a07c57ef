"""What people read is plain English: it has no phrase that CONTRIBUTING.md lists under "never"."""

import re

from tests import REPOSITORY

TABLE = (REPOSITORY / "CONTRIBUTING.md").read_text().partition("| never |")[2]
PHRASES = ",".join(re.findall(r"^\| ([a-z ,]+) \|", TABLE, re.MULTILINE)).split(",")
SPACE = r"[\s#]+"
"""Between the words of a phrase, which a comment may write on two lines."""
NEVER = re.compile(rf"\b({'|'.join(SPACE.join(phrase.split()) for phrase in PHRASES)})\b", re.I)
FILES = ("README.md", "CHANGELOG.md", "Makefile", "params.yaml", "dvc.yaml", "pyproject.toml")
FOLDERS = ("docs", "graph_evaluator", "stages", "checks", "generators", "examples", ".github")
KINDS = (".py", ".j2", ".toml", ".md", ".js", ".yaml", ".yml", ".sh")
QUOTED = ("words.toml", "made_up.toml", "/prompts/", "template/briefs/", "draft_graph")
"""Words that are looked for, prompts, and texts of briefs."""


def texts():
    files = [file for folder in FOLDERS for file in (REPOSITORY / folder).rglob("*")]
    read = [file for file in files if file.name.endswith(KINDS)]
    quoted = [file for file in read if any(part in file.as_posix() for part in QUOTED)]
    return sorted({*read, *(REPOSITORY / name for name in FILES)} - {*quoted})


def test_no_text_has_a_phrase_that_the_rules_of_writing_exclude():
    found = []
    for file in texts():
        text = re.sub(r"<[^<>\n]*>", "", file.read_text())  # names of classes
        for match in NEVER.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{file.relative_to(REPOSITORY)}:{line}: {match[0]}")
    assert len(PHRASES) > 10
    assert found == []
