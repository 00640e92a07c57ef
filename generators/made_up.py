"""The made-up briefs that ship, and the drafts that simulated models answer them with: `make made-up`.

Their openings in `graph_evaluator/simulate/drafts/openings.toml` are written by hand.
"""

import json
from pathlib import Path

from graph_evaluator.briefs.made_up import MadeUpBrief, make_up_brief

ROOT = Path(__file__).parents[1]
SHIPPED = [make_up_brief(3, number, 2, "en") for number in range(1, 7)]


def draft_text(brief: MadeUpBrief) -> str:
    """The draft of a brief, a node or an edge a line."""
    parts = [f'"{part}":{_lines(entries)}' for part, entries in brief.graph.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(entries: object) -> str:
    if not isinstance(entries, list):
        return json.dumps(entries, ensure_ascii=False)
    lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def main() -> None:
    for brief in SHIPPED:
        (ROOT / "briefs" / f"{brief.id}.md").write_text(brief.text, encoding="utf-8")
        draft = ROOT / "graph_evaluator/simulate/drafts" / f"{brief.id}.json"
        draft.write_text(draft_text(brief), encoding="utf-8")


if __name__ == "__main__":
    main()
