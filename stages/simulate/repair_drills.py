"""Three simulated models that show what sending an answer back does.

Half of the graphs of `drill-repairs` and `drill-breaks` have one structural fault, by brief and
draw. Sent back, the one repairs it, and the other makes another fault in its place. `drill-stuck`
makes the same fault in every answer to certain briefs, however often it is asked, and none in
answers to the others.
"""

from stages.simulate.characters import BREAKS, REPAIRS, STUCK
from stages.simulate.graph_faults import FAULTS
from stages.simulate.request import SimulatedRequest
from stages.simulate.stream import Stream

FAULT_CHANCE = 0.5


def faults_of_drill(request: SimulatedRequest) -> tuple[str, ...]:
    """The faults that one of these models puts into its graph."""
    key = [request.model, request.input]
    if request.model != STUCK:  # it makes the same fault in every draw
        key.append(request.draw)
    stream = Stream("repair drill", *key)
    has_fault, fault = stream.chance(FAULT_CHANCE), stream.choice(FAULTS)
    is_sent_back = bool(request.further)
    if not has_fault or (is_sent_back and request.model == REPAIRS):
        return ()
    if is_sent_back and request.model == BREAKS:
        return (FAULTS[(FAULTS.index(fault) + 1) % len(FAULTS)],)
    return (fault,)
