# The targets that users need; `make help` prints these lines.
#   make               set everything up and run the pipeline: no key, no model call
#   make setup         set everything up: the environment .venv with the commands
#   make test          set everything up, and run linters, type checks and all tests
#   make clean         delete the environment and caches; never the ledger
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The stages that dvc starts find their python here. The folder's own path may hold spaces, so nothing else uses it.
export PATH := $(CURDIR)/$(BIN):$(PATH)
UV := $(shell command -v uv 2>/dev/null)
ifdef UV
create = uv venv --quiet --python $(PYTHON) --seed $(or $(clear),--allow-existing) $(VENV)
install = uv pip install --quiet --python $(BIN)/python
else
create = $(PYTHON) -m venv $(clear) $(VENV)
install = $(BIN)/python -m pip install -qq --disable-pip-version-check
endif

.PHONY: all help repository setup test test-another-python lint format clean lock schemas made-up readme reference bench soak screenshots
.DEFAULT_GOAL := all

all: repository setup
	python -m dvc repro
	@[ -z "$$(git remote)" ] || [ -e "$$(git rev-parse --git-path hooks/post-checkout)" ] || echo "In a team: . .venv/bin/activate && dvc install (why: docs/team.md)"

help:
	@sed -n 's/^#   //p' Makefile

# DVC works in a git repository of its own only; a zip download has none.
repository:
	@command -v git >/dev/null || { echo "git is needed and not installed" >&2; exit 2; }
	@[ -d .dvc ] || { echo "the hidden folder .dvc is missing: clone the repository, or copy its hidden files too" >&2; exit 2; }
# In a conflict DVC itself would show an error of its YAML parser.
	@! grep -sn '^<<<<<<< ' dvc.yaml dvc.lock params.yaml || { echo "these files are in conflict: resolve inputs by hand and git add them, then graph-evaluator merge writes dvc.lock and results/" >&2; exit 2; }
	@[ -e .git ] || { echo "this folder is not a git repository (a zip download?): git init && git add . && git commit -m start, then make again" >&2; exit 2; }

setup: $(VENV)/run.stamp

# An environment of another Python is made again.
ifneq ($(shell $(BIN)/python -V 2>/dev/null),$(shell $(PYTHON) -V 2>/dev/null))
clear := --clear
.PHONY: $(VENV)/run.stamp
endif
$(VENV)/run.stamp: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Python 3.11 or later is needed, and $(PYTHON) is $$($(PYTHON) -V 2>&1): name another one, such as make PYTHON=python3.13" >&2; exit 2; }
	$(create)
	$(install) --require-hashes -r requirements.lock
	$(install) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock $(VENV)/run.stamp
	$(install) --require-hashes -r requirements-dev.lock
	@touch $@

lint: $(VENV)/dev.stamp
	python -m ruff check .
	python -m ruff format --check .
	python -m mypy

format: $(VENV)/dev.stamp
	python -m ruff check --fix .
	python -m ruff format .

test: lint
	python -m pytest -n auto --dist worksteal $(TESTS)

# The linters, and the tests of what may depend on the version of Python, on the newest other one that is installed.
ON_ANOTHER_PYTHON := analysis compare generate/calls graph report score test_readme.py test_shipped_inputs.py
test-another-python:
	@python=$$(.ci/another-python $(PYTHON)) || exit; [ -z "$$python" ] || \
	$(MAKE) PYTHON="$$python" VENV=".venv-$${python##*/}" TESTS="$(ON_ANOTHER_PYTHON:%=tests/%)" test

readme: setup
	python -m generators.readme

reference: setup
	python -m generators.reference

# The pictures in the README, of the site that the pipeline wrote.
screenshots: $(VENV)/dev.stamp
	python -m tests.browser.screenshots

# Ratios to floors measured in the same run, a quarter of an hour; NAMES="ledger report" for some of them.
bench: $(VENV)/dev.stamp
	python -m bench $(NAMES)

# Ten minutes of faults, kills and restarts, ending with an exact account; `make soak minutes=1` for a shorter one.
minutes ?= 10
soak: $(VENV)/dev.stamp
	python -m bench.soak --minutes $(minutes)

made-up: setup
	python -m generators.made_up

schemas: setup
	python -m generators.schemas

# Never touches the ledger: it holds answers that were paid for.
clean:
	rm -rf .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find graph_evaluator tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header requirements.in -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header requirements-dev.in -c requirements.lock -o requirements-dev.lock
