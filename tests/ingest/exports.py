"""Logs as tools export them, by `exports.yaml`: questions with answers as the files of a form."""

import csv
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import yaml

if sys.version_info >= (3, 14):
    from zipfile import ZipFile
else:
    from backports.zstd.zipfile import ZipFile

_TABLES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
FORMS: dict[str, dict[str, Any]] = _TABLES["forms"]
ZSTANDARD = 93
"""Its number among the methods of a zip file."""
SYSTEM: str = _TABLES["shapes"]["system"]


def files_of(form, pairs):
    """The file of a form with these questions and answers, or its two files."""
    templates = [form[key] for key in ("record", "second") if key in form]
    return [_file(form, [_fill(template, *pair) for pair in pairs]) for template in templates]


def _fill(template, question, answer):
    if isinstance(template, list):
        return [_fill(entry, question, answer) for entry in template]
    if isinstance(template, dict):
        filled = {key: _fill(entry, question, answer) for key, entry in template.items()}
        return json.dumps(filled["$json"]) if "$json" in filled else filled
    if not isinstance(template, str):
        return template
    named = template.replace("$id", f"r{hash((question, answer))}")
    return named.replace("$question", question).replace("$answer", answer)


def _file(form, records):
    layout = form.get("layout", "lines")
    if layout == "archive":
        return _archive(records)
    if layout == "table":
        return _table(records, form.get("delimiter", ","))
    if "file" in form:
        text = json.dumps(form["file"], indent=2).replace('"$records"', json.dumps(records))
    elif layout == "list":
        text = json.dumps(records, indent=2, ensure_ascii=False)
    else:
        indent = 2 if layout == "texts" else None
        text = "".join(json.dumps(record, indent=indent) + "\n" for record in records)
    content = text.encode(form.get("encoding", "utf-8"))
    return gzip.compress(content) if "gz" in form.get("suffix", "") else content


def _archive(samples):
    file = io.BytesIO()
    with ZipFile(file, "w", ZSTANDARD) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "samples": None}))
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number:03}_epoch_1.json", json.dumps(sample))
    return file.getvalue()


def _table(records, delimiter):
    """What is no text is JSON."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(records[0])
    for record in records:
        cells = record.values()
        writer.writerow(cell if isinstance(cell, str) else json.dumps(cell) for cell in cells)
    return text.getvalue().encode()
