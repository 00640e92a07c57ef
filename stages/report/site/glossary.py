"""`glossary.html`: the terms and codes of the pages, each in a plain sentence."""

from collections.abc import Mapping

from stages.report.failures import code_name
from stages.report.site.table import PACKAGE, listing
from stages.shared.present.page import GLOSSARY, Frame, page
from stages.shared.present.table import Column
from stages.shared.records.scorecard import CODES

FIRST_TERMS: Mapping[str, str] = {
    "Cell": "One model on one brief, once.",
    "Usable": (
        "The graph breaks no structural rule and fails no fidelity check: it can be worked with."
    ),
    "Score": "The mean over all answers (expected score): one without a usable graph counts 0.",
    "Overall score": "The score of a graph; its mean is over valid graphs alone.",
    "Content": (
        "The share of the effects that the brief states which the graph has right; in means a "
        "graph that is not usable counts 0."
    ),
    "Fidelity": "Whether a graph belongs to its brief, by checks without a model.",
    "p95": "95 of 100 calls were faster than this; p50, the median, is that of 50.",
}
"""What the overview explains itself."""
TERMS: Mapping[str, str] = {
    **FIRST_TERMS,
    "Brief": "A decision problem in words, which a model turns into a graph.",
    "Model": "One model config: a model with its settings and its price.",
    "Prompt": "The instructions that every model gets with every brief.",
    "Sample": "A repetition of the same call, to see how much answers differ.",
    "Mode": "What a model is chosen for: fast, normal or deep.",
    "Interval": (
        "Where the true mean is likely to be; it is narrow if there are many briefs and they agree."
    ),
    "Undecided": "The briefs at hand cannot tell the best models apart.",
    "Limit": "What a mode allows at most: seconds, US dollars, unusable answers.",
    "Policy": "A sequence of tries over models that ends with the first accepted graph.",
    "Invalid": "The graph breaks a structural rule, so it has no score.",
    "Unfaithful": "The graph is valid, but failed a check of whether it belongs to its brief.",
    "Unchecked": "A usable graph whose words could not be compared with those of its brief.",
    "No graph": "The answer was cut off, was a refusal, or held no JSON.",
    "No answer": "The call failed; the next run calls such a cell again.",
    "With effects": "Briefs with an answer that state effects: content is the mean over them.",
    "Coded": (
        "The share of the labels whose concept a codebook holds. Below nine tenths the content is "
        "by words: labels are matched by their words, which misses other names for a concept."
    ),
    "Parameter quality": "Whether strengths and probabilities differ and are no defaults.",
    "Option differentiation": "Whether the options set factors to different values.",
    "Completeness": "Whether the graph has what a decision needs, such as a goal with a threshold.",
    "Default edges": "Causal edges that were left at the default strength.",
    "Spread": "How much scores differ between samples of one brief, or between briefs.",
    "Warning": "Something odd that changes no score.",
}


def glossary_file(frame: Frame) -> tuple[str, bytes]:
    """The path and the content of the glossary."""
    columns = ("Name", Column("Code", code=True), "What it means", "What to do")
    codes = [(code_name(name), name, *CODES[name]) for name in sorted(CODES, key=code_name)]
    table = listing("codes", "Codes of outcomes, failures and warnings", columns, codes)
    return GLOSSARY, page(
        frame,
        "glossary.html.j2",
        package=PACKAGE,
        title="Glossary",
        at=GLOSSARY,
        terms=TERMS,
        codes=table,
    )
