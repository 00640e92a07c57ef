"""Every violation, warning and fidelity check: what it means, its usual cause, and the fix.

`docs/scoring.md` shows this table; reports may quote it. Violations make a graph invalid and are listed in scorecards in the
order of `VIOLATIONS`; warnings change no score.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """One code with its meaning, its usual cause, and the fix."""

    code: str
    meaning: str
    cause: str
    fix: str


VIOLATIONS: tuple[Code, ...] = (
    Code(
        "NO_GRAPH",
        "There is no answer with JSON in it, so there is nothing to score.",
        "The answer has no JSON, was truncated or refused, or no answer arrived.",
        "Read the response's status: ask for JSON only, allow more output tokens, or run again for cells without an answer.",
    ),
    Code(
        "INVALID_SCHEMA",
        "The JSON does not follow the draft-graph format; each place is named by its path.",
        "A list is missing, an id is not text, a number is text or infinite, or a causal edge lacks a parameter.",
        "State the format in the prompt with an example, or ask for it with response_format json_schema.",
    ),
    Code(
        "DUPLICATE_NODE_ID",
        "Two or more nodes share an id, so an edge cannot tell them apart.",
        "A node is listed twice, or two nodes were named alike.",
        "Ask for unique ids with a prefix for the kind, such as fac_ or out_.",
    ),
    Code(
        "INVALID_EDGE_REF",
        "An edge names a node that is not in the graph.",
        "An id is spelled in two ways, or a node was left out.",
        "Ask the model to check that every edge's from and to is the id of a node.",
    ),
    Code(
        "MISSING_GOAL",
        "There is not exactly one goal.",
        "The goal was left out, or a secondary aim was made a goal as well.",
        "Ask for exactly one node of kind goal; secondary aims are outcomes.",
    ),
    Code(
        "MISSING_DECISION",
        "There is not exactly one decision.",
        "The decision was left out, or a brief with two questions became two decisions.",
        "Ask for exactly one node of kind decision.",
    ),
    Code(
        "INSUFFICIENT_OPTIONS",
        "There are fewer options than a decision needs.",
        "Alternatives were drafted as factors, or only one course of action was considered.",
        "Ask for at least two nodes of kind option, the status quo among them.",
    ),
    Code(
        "TOO_MANY_OPTIONS",
        "There are more options than the limit.",
        "Variants of one alternative were drafted as options of their own.",
        "Ask the model to merge near-identical alternatives.",
    ),
    Code(
        "MISSING_BRIDGE",
        "There is no outcome and no risk between the factors and the goal.",
        "Factors were linked straight to the goal.",
        "Ask for at least one outcome or risk that the factors lead to and that leads to the goal.",
    ),
    Code(
        "NODE_LIMIT_EXCEEDED",
        "There are more nodes than the limit.",
        "The model lists everything the brief mentions.",
        "Ask for the factors that matter to the choice; 6 to 12 nodes read best.",
    ),
    Code(
        "EDGE_LIMIT_EXCEEDED",
        "There are more edges than the limit.",
        "Everything is linked with everything, or edges are listed twice.",
        "Ask for direct effects only.",
    ),
    Code(
        "CYCLE_DETECTED",
        "Directed edges lead from a node back to itself.",
        "The brief describes a feedback loop and the model drew it.",
        "Ask for one direction per loop, or for a bidirected edge where two factors share a cause.",
    ),
    Code(
        "FORBIDDEN_EDGE",
        "An edge connects two kinds that must not be connected; once per edge.",
        "A step of the chain decision, option, factor, outcome or risk, goal was skipped or repeated.",
        "State in the prompt which kinds may follow which.",
    ),
    Code(
        "CONTROLLABLE_NO_OPTION_EDGE",
        "A factor called controllable is set by no option.",
        "The factor matters but none of the options changes it, or its edge was forgotten.",
        "Link an option to the factor, or call the factor observable or external.",
    ),
    Code(
        "OUTCOME_UNREACHABLE",
        "An outcome or risk cannot be reached from the options through a controllable factor.",
        "It depends on external or observable factors alone, or an edge is missing.",
        "Link it from a factor that an option sets, or drop it.",
    ),
    Code(
        "OPTION_NO_GOAL_PATH",
        "An option has no directed path through a controllable factor to the goal.",
        "The option sets no factor, or the factors it sets lead nowhere.",
        "Link the option to a factor, and that factor over an outcome or risk to the goal.",
    ),
    Code(
        "ORPHAN_NODE",
        "A node is neither reachable from the decision nor able to reach the goal.",
        "A node was mentioned and never linked, or only by a bidirected edge.",
        "Link the node into the graph, or drop it.",
    ),
)

WARNINGS: tuple[Code, ...] = (
    Code(
        "UNKNOWN_KIND",
        "A node's kind is not one of the format's.",
        "A kind was invented, or written in another case.",
        "List the kinds in the prompt: decision, option, factor, outcome, risk, goal.",
    ),
    Code(
        "UNKNOWN_CATEGORY",
        "A factor's category is not one of the format's.",
        "A category was invented, or written in another case.",
        "List the categories in the prompt: controllable, observable, external.",
    ),
    Code(
        "UNKNOWN_EDGE_TYPE",
        "An edge's type is neither directed nor bidirected; it counts as directed.",
        "The type was spelled in another way.",
        "Ask for edge_type directed or bidirected, exactly so.",
    ),
    Code(
        "EDGE_OUT_OF_GOAL",
        "An edge leads out of the goal; it counts as a causal edge.",
        "A feedback from success was drawn.",
        "Ask that nothing follows the goal.",
    ),
    Code(
        "ODD_EDGE",
        "An edge connects kinds that the format does not foresee, though it is not forbidden; it counts as a causal edge.",
        "Options were chained, or the decision was linked to the goal.",
        "State in the prompt which kinds may follow which.",
    ),
    Code(
        "DUPLICATE_EDGE",
        "The same edge is listed more than once; each counts.",
        "The model listed an effect twice.",
        "Ask for one edge per pair of nodes.",
    ),
    Code(
        "VALUE_OUT_OF_RANGE",
        "A strength is outside -1 to 1, a standard deviation is negative, or a probability is outside 0 to 1.",
        "The model used another scale, such as percent.",
        "State the ranges in the prompt.",
    ),
    Code(
        "MISSING_PARAMETER",
        "A structural or bidirected edge lacks its strength or probability; they are not scored there.",
        "The model gives parameters only where they matter.",
        "Nothing needs to be done; the format asks for them on every edge.",
    ),
    Code(
        "INTERVENTION_ON_UNKNOWN_FACTOR",
        "An option sets something that is no factor of the graph; it counts as a factor set.",
        "An id is spelled in two ways, or the factor was left out.",
        "Ask that the keys of interventions are ids of factors.",
    ),
    Code(
        "INTERVENTION_WITHOUT_EDGE",
        "An option sets a factor that it has no edge to.",
        "The edge was forgotten.",
        "Ask for an edge from an option to each factor that it sets.",
    ),
    Code(
        "CATEGORY_CONFLICT",
        "An option sets a factor that is called external or observable; it counts as controllable.",
        "The factor is influenced, but not chosen, by the option.",
        "Call the factor controllable, or do not link it from an option.",
    ),
    Code(
        "UNLINKED_OPTION",
        "No edge leads from the decision to an option.",
        "The edge was forgotten or has the wrong direction.",
        "Ask for an edge from the decision to every option.",
    ),
    Code(
        "THRESHOLD_NOT_A_NUMBER",
        "The goal's threshold is text; it counts as set.",
        "The model wrote the target with its unit.",
        "Ask for a number in goal_threshold and the unit in goal_threshold_unit.",
    ),
    Code(
        "STATUS_QUO_WITHIN_A_WORD",
        "An option counts as the status quo though the pattern matches within a word only, such as keep in bookkeeping.",
        "The label has a longer word around the pattern.",
        "Set score.status_quo_pattern to whole words; docs/scoring.md has such a pattern.",
    ),
)

FIDELITY: tuple[Code, ...] = (
    Code(
        "grounding",
        "The words of the labels are not those of the brief.",
        "The graph is of another subject, or its labels are generic.",
        "Ask for labels in the words of the brief.",
    ),
    Code(
        "prompt_copy",
        "The labels are those of an example graph in the prompt.",
        "The model returned the example instead of a graph of the brief.",
        "Say in the prompt that the example is of another subject, or use a stronger model.",
    ),
    Code(
        "target",
        "The goal's threshold is not a target that the brief names.",
        "The model invented a target, or wrote it in another unit or scale.",
        "Ask for a threshold only where the brief names a number, and for that number in goal_threshold_raw.",
    ),
    Code(
        "numbers",
        "A factor value that is called explicit is not in the brief.",
        "The model calls an estimate explicit, or derived the number.",
        "Ask for explicit only where the brief gives the number, and inferred elsewhere.",
    ),
    Code(
        "direction",
        "The sign of a mean does not agree with effect_direction.",
        "The model uses unsigned means, or flipped one of the two.",
        "Say in the prompt that a negative effect has a negative mean.",
    ),
    Code(
        "options_kept",
        "An option that the brief names is missing.",
        "Options were merged, dropped or renamed.",
        "Ask for an option for every course of action that the brief names.",
    ),
    Code(
        "twin_options",
        "Two options have the same interventions and nearly the same label.",
        "One alternative was listed twice.",
        "Ask for options that differ in what they set.",
    ),
    Code(
        "duplicate_labels",
        "Two nodes have the same label.",
        "A factor repeats an option or an outcome.",
        "Ask for a label of its own for every node.",
    ),
)
"""The fidelity checks, by the name of the check: what it means when one fails or warns."""
