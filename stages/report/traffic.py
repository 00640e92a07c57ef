"""What is said about traffic: answers to inputs that no brief has. It is in no other figure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from stages.report.failures import code_name
from stages.report.site.table import MAX_ROWS, PACKAGE, listing
from stages.shared.present.page import TRAFFIC, Frame, page
from stages.shared.present.table import Column, Raw, Section, Table, make_table
from stages.shared.records.scorecard import Scorecard
from stages.shared.shell import numbers

MAX_CODES = 3
FORM_ONLY = (
    "Answers to inputs that no brief has (traffic). Nothing is stated about these inputs, so the "
    "score is of form only: structure and sub-scores. They are in no other table and no total."
)


@dataclass(slots=True)
class ModelTraffic:
    """The answers of one model: how many, those with a valid graph, the sum of their scores, and
    why others have none.
    """

    answers: int = 0
    valid: int = 0
    score_sum: float = 0.0
    codes: Counter[str] = field(default_factory=Counter)


class Traffic:
    """The traffic of a run, of which only the first answers are kept one by one."""

    def __init__(self) -> None:
        self.models: dict[str, ModelTraffic] = {}
        self._first: list[Scorecard] = []

    def add(self, card: Scorecard) -> None:
        """Add the scorecard of an answer."""
        of_model = self.models.setdefault(card.model_id, ModelTraffic())
        of_model.answers += 1
        of_model.codes.update(set(card.violation_codes))
        if card.overall_score is not None:
            of_model.valid += 1
            of_model.score_sum += card.overall_score
        if len(self._first) < MAX_ROWS:
            self._first.append(card)

    def file(self, frame: Frame, names: Mapping[str, str]) -> tuple[str, bytes]:
        """The page of the site, a row for each model and for each of the first answers."""
        tables = [self.by_model(names), self._answers(names)]
        section = Section("traffic", "Traffic", [FORM_ONLY], tables)
        return TRAFFIC, page(
            frame,
            "traffic.html.j2",
            package=PACKAGE,
            title="Traffic",
            at=TRAFFIC,
            sections=[section],
        )

    def by_model(self, names: Mapping[str, str]) -> Table:
        """A row for each model, by its name."""
        columns = (
            Column("Model"),
            Column("Answers", numbers.count),
            Column("Valid graphs", numbers.share),
            Column("Form", numbers.score, hint="mean overall score of the valid graphs"),
            Column("What failed most"),
        )
        rows: list[list[Raw]] = []
        for model_id, traffic in sorted(self.models.items()):
            valid = traffic.valid
            codes = ", ".join(
                f"{code_name(code)} ({numbers.count(cells)})"
                for code, cells in traffic.codes.most_common(MAX_CODES)
            )
            form = traffic.score_sum / valid if valid else None
            name = names.get(model_id, model_id)
            rows.append([name, float(traffic.answers), valid / traffic.answers, form, codes])
        return make_table(columns, rows, title="Traffic, form only", name="traffic")

    def _answers(self, names: Mapping[str, str]) -> Table:
        columns = (
            Column("Input", code=True),
            Column("Model", choose=True),
            Column("Form", numbers.score),
            Column("Outcome", choose=True),
            Column("Why"),
        )
        rows: list[list[Raw]] = []
        for card in self._first:
            outcome = "valid" if card.structural_valid else card.status
            why = "; ".join(finding.message for finding in card.violations)
            name = names.get(card.model_id, card.model_id)
            rows.append([card.brief_id, name, card.overall_score, outcome, why])
        title = f"The first {numbers.counted(len(rows), 'answer')}"
        return listing("traffic-answers", title, columns, rows)
