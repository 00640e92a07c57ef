"""What replaces the keys, options and commands that earlier versions had: one sentence for each."""

REMOVED_KEYS: dict[str, str] = {
    "compare.planned_looks": "its name is compare.planned_comparisons",
    "compare.seed": "a comparison draws nothing at random",
    "generate.reliability": "failures count in the expected score; generate.samples calls more",
    "generate.repair": "one call is one answer; a policy can try again",
    "purpose": "remove the key; inputs of a log that no brief has stay in answers/ID.traffic.jsonl",
    "report.confidence": "compare.confidence counts for report too",
    "report.margin": "compare.min_difference says which differences matter, for report too",
    "report.rank_by": "everything ranks by expected score, where a failure counts 0",
    "score.weights.option_diff.baseline_option": "`status_quo_present` finds the status quo by "
    "score.status_quo_pattern",
    "score.weights.option_diff.distinct_levels": "`no_identical_interventions` compares the levels "
    "that options set",
    "steps.best_of": "`tries` calls the model again until an answer is accepted",
    "steps.repair": "one call is one answer; `tries` calls the model again",
}
"""By the path of the key, without places in lists: `generate.repair`, `steps.repair`."""

REMOVED_OPTIONS: dict[str, str] = {
    "compare --accept": "verdicts are about expected scores; none is about usable graphs alone",
    "compare --experiments": "`make experiments` shows the experiments with their settings and "
    "metrics, `compare main NAME` the verdict on one",
    "compare --graphs": "the page of a brief in results/site shows graphs side by side",
    "compare --rescore": "`compare --history` scores every run by today's rules",
    "generate --samples": "set generate.samples in params.yaml, then forecast it",
    "ingest --input-column": "--input names the input by a dotted path",
    "ingest --output-column": "--output names the output by a dotted path",
    "ingest --provider": "--where provider.id=NAME takes the answers of one",
    "settle --looks": "its name is --samples",
    "settle --margin": "compare.min_difference in params.yaml says which differences matter",
    "settle --reliability": "failures count in the expected score; `settle` adds samples",
}
"""By command and option: `compare --graphs`."""

REMOVED_COMMANDS: dict[str, str] = {
    "agree": "`dvc repro` reads reviews/ and shows them in the report",
    "simulate": "simulated models need no server: `graph-evaluator generate` calls them itself",
}
"""By the name of the command: `agree`."""
