"""Scores and failures of a run in pandas, as cells of a notebook (`# %%`): `python -m examples.notebook`.

VS Code, PyCharm and Jupyter (with jupytext) open it as a notebook. `score` and `report` write the two files.
"""

# %% The two files: a row per cell, and a line per cell with its evidence.
import pandas as pd

CELL = ["model_id", "brief_id", "sample"]
names = {"model_id": str, "brief_id": str}
scores = pd.read_csv("results/scores.csv", dtype=names)
rows = []
cards = pd.read_json("results/scorecards.jsonl", lines=True, dtype=names)
for card in cards.to_dict("records"):
    cell = [card[key] for key in CELL]
    rows += [(*cell, found["code"], found["message"]) for found in card["violations"]]
    checks = [check for check in card["fidelity"] if check["outcome"] == "fail"]
    rows += [(*cell, check["name"], check["message"]) for check in checks]
failed = pd.DataFrame(rows, columns=[*CELL, "code", "message"]).drop_duplicates([*CELL, "code"])

# %% How good is each model? A failure counts 0, a cell without an answer is left out.
models = scores.groupby("model_id").agg(
    cells=("sample", "size"),
    usable=("usable", "mean"),
    expected_score=("expected_score", "mean"),
    cost_usd=("est_cost_usd", lambda costs: costs.sum(min_count=1)),  # no cost known: NaN
)
print(models.sort_values("expected_score", ascending=False).round(3), end="\n\n")

# %% What goes wrong, and in how many cells of each model?
print(pd.crosstab(failed["code"], failed["model_id"]), end="\n\n")

# %% Which briefs fail most often, and why?
unusable = scores[~scores["usable"]].merge(failed, on=CELL, how="left")
reasons = unusable.groupby("brief_id")["code"].agg(
    lambda codes: ", ".join(sorted(set(codes.dropna())))
)
counts = unusable.drop_duplicates(CELL).groupby("brief_id").size().rename("cells")
print(
    pd.concat([counts, reasons], axis=1).sort_values("cells", ascending=False).head(5), end="\n\n"
)

# %% What is in the words of a failure? Its sentence names nodes, edges and numbers.
print(*failed["message"].head(3), sep="\n")
