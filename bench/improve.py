"""`python -m bench improve`: how often `improve` accepts noise, and how often it finds a planted gain.

gepa searches, and the real looks and claims accept; only the answers are drawn, below the calls. Beside each share is how
often the best candidate looks better on the briefs that choose, which is where an optimiser alone would stop.
"""

import contextlib
import io
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bench.figure import Figure
from stages.compare.pairing import pair
from stages.contracts.brief import Brief, Expectations
from stages.contracts.improvement import BriefParts, BriefRole, best_place
from stages.contracts.response import Response
from stages.contracts.scorecard import Scorecard
from stages.contracts.settlement import PlannedLook, SettleDesign, Settlement
from stages.improve.improving import judge_proof
from stages.improve.planning import draw_parts
from stages.improve.reflection import RefusalRules
from stages.improve.search import Search
from stages.settle.looks import end_settlement, ending_of, take_look
from stages.settle.options import DEFAULT_LOOKS
from stages.settle.sides import Graded
from stages.statistics.error_rate import confidence_of_test
from stages.statistics.estimates import NOT_MEASURED
from tests.builders.scorecards import card, unusable

RUNS, ROUNDS = 500, 10
BASE = "Draft nodes and edges. " * 40
DIFFICULTY_SD, ANSWER_SD, MOVE_SD = 0.08, 0.07, 0.04
"""Of briefs, of answers to one brief, and of what a prompt changes on a brief by chance."""
Change = Callable[["Population", str, str], float]
"""What a prompt changes in the scores of a brief."""


@dataclass(slots=True)
class Population:
    """Briefs and a proposer of one run; the trials of its search."""

    seed: int
    briefs: int
    change: Change
    failing: float = 0.0
    usd: float = 0.0
    parts: BriefParts = field(init=False)

    def __post_init__(self) -> None:
        briefs = [Brief(f"b{number}", Expectations(), "", "") for number in range(self.briefs)]
        self.parts = draw_parts(briefs, BriefParts())

    def ids(self, part: BriefRole) -> list[str]:
        """The briefs of a part."""
        return [brief for brief, drawn in self.parts.parts.items() if drawn == part]

    def answer(self, prompt: str, brief_ids: Sequence[str]) -> Mapping[str, Sequence[Graded]]:
        """One answer to each brief."""
        cards = {brief: self.card(prompt, brief, 1) for brief in brief_ids}
        return {brief: [graded(scorecard)] for brief, scorecard in cards.items()}

    def propose(self, request: str, number: int) -> str:
        """The parent with one more sentence, a good one once in three times."""
        parent = request.partition("<prompt>\n")[2].partition("\n</prompt>")[0]
        lot = random.Random(f"{self.seed} {request} {number}").random()
        sentence = "Good." if lot < 1 / 3 else f"Version {lot}."
        return f"<prompt>{parent} {sentence}</prompt>"

    def card(self, prompt: str, brief: str, sample: int) -> Scorecard:
        """The scorecard of an answer, the same whenever it is asked for."""
        difficulty = random.Random(f"{self.seed} {brief}").gauss(0.72, DIFFICULTY_SD)
        answer = random.Random(f"{self.seed} {brief} {prompt} {sample}")
        if answer.random() < self.failing:
            return unusable("parse_failed", "m", brief, sample)
        score = difficulty + self.change(self, prompt, brief) + answer.gauss(0, ANSWER_SD)
        return card("m", brief, min(1.0, max(0.0, score)), sample)


def graded(scorecard: Scorecard) -> Graded:
    """A scorecard with a response that has no text."""
    response = Response(model_id="m", brief_id="b", sample=1, status=scorecard.status)
    return Graded(response, scorecard)


def nothing(population: Population, prompt: str, brief: str) -> float:
    """Prompts change nothing."""
    return 0.0


def single_briefs(population: Population, prompt: str, brief: str) -> float:
    """A prompt changes each brief by chance, up or down, and nothing in the mean."""
    if prompt.strip() == BASE.strip():
        return 0.0
    return random.Random(f"{population.seed} {prompt} {brief} moves").gauss(0, MOVE_SD)


def learned_briefs(population: Population, prompt: str, brief: str) -> float:
    """Every proposal is tuned to the briefs that learn: 0.15 better there, and nowhere else."""
    learned = population.parts.parts[brief] == "learn" and prompt.strip() != BASE.strip()
    return 0.15 if learned else 0.0


def planted(gain: float) -> Change:
    """Good sentences make a prompt better by so much, once."""
    return lambda _population, prompt, _brief: gain if "Good." in prompt else 0.0


def improve(population: Population) -> tuple[bool, bool]:
    """Whether the best candidate looks better on the briefs that choose, and whether it is accepted."""
    ids = population.ids
    learned = [Brief(brief, Expectations(), "", "") for brief in ids("learn")]
    search = Search(
        rules=RefusalRules(BASE, [], learned, 9 * len(BASE)),
        choosing=ids("choose"),
        trials=population,
        rounds=ROUNDS,
    )
    with contextlib.redirect_stdout(io.StringIO()):
        search.run()
    candidates = tuple(search.tried.values())
    best = best_place(candidates)
    if best is None or (candidates[best].choose or 0.0) <= (candidates[0].choose or 0.0):
        return False, False
    proof = prove(population, candidates[best].text)
    return True, bool(judge_proof(proof, NOT_MEASURED).get("accepted"))


def prove(population: Population, text: str) -> Settlement:
    """The looks at base and candidate on the briefs that prove, as `settle` takes them."""
    briefs = population.ids("prove")
    looks = tuple(PlannedLook(samples=samples) for samples in DEFAULT_LOOKS)
    design = SettleDesign(
        base="base", head="candidate", base_prompt="", head_prompt="", base_run="", head_run="",
        models=1, briefs=len(briefs), confidence=confidence_of_test(0.95, 1), margin=0.02, looks=looks,
    )  # fmt: skip
    settlement = Settlement(design=design, stored_answers=0, stored_usd=0.0)
    for index, samples in enumerate(DEFAULT_LOOKS):
        sides = [
            [
                population.card(prompt, brief, sample + 1)
                for brief in briefs
                for sample in range(samples)
            ]
            for prompt in (BASE, text)
        ]
        look = take_look(design, index, pair(*sides), 2 * samples * len(briefs))
        settlement = settlement.model_copy(update={"looks": (*settlement.looks, look)})
        if ending := ending_of(design, look):
            return end_settlement(settlement, ending, None, ())
    raise AssertionError("the last look ends a settlement")


def figures() -> list[Figure]:
    """Shares of the runs, percent."""
    rows: list[tuple[str, int, Change, float, float | None, bool]] = [
        ("prompts change nothing", 24, nothing, 0.0, 2.5, False),
        ("prompts change nothing", 16, nothing, 0.0, 2.5, False),
        ("nothing, 10 % fail", 24, nothing, 0.1, 2.5, False),
        ("single briefs move", 24, single_briefs, 0.0, 2.5, False),
        ("tuned to the briefs that learn", 24, learned_briefs, 0.0, 2.5, False),
        ("planted +0.10", 24, planted(0.10), 0.0, 60.0, True),
        ("planted +0.10, 10 % fail", 24, planted(0.10), 0.1, None, True),
        ("planted +0.10", 16, planted(0.10), 0.0, None, True),
        ("planted +0.05", 24, planted(0.05), 0.0, None, True),
    ]
    measured: list[Figure] = []
    for what, briefs, change, failing, target, at_least in rows:
        outcomes = [improve(Population(seed, briefs, change, failing)) for seed in range(RUNS)]
        looks_better, accepted = (
            100 * sum(column) / RUNS for column in zip(*outcomes, strict=True)
        )
        name = f"{what}, {briefs} briefs"
        measured.append(_share(f"{name}: looks better", looks_better, None, False))
        measured.append(_share(f"{name}: accepted", accepted, target, at_least))
    return measured


def _share(what: str, value: float, target: float | None, at_least: bool) -> Figure:
    return Figure(what, value, value, value, "%", target, at_least)
