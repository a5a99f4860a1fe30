# Every target sets up what it needs: a virtual environment in .venv, from the pinned and hashed lock file.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOCK := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet

.PHONY: help quickstart test test-slow coverage check format bench docs wheel lock clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "covary needs Python 3.11 or newer; PYTHON=python3.12 make … names another one")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

quickstart: $(READY) ## run the small built-in study on a real model and write its report
	$(BIN)/covary run quickstart

test: $(READY) ## run the tests
	$(BIN)/python -m tests.needs
	$(BIN)/python -m pytest -m "not slow"

test-slow: $(READY) ## run the long simulations and fault tests too
	$(BIN)/python -m pytest

coverage: $(READY) ## run the tests and print which lines they reach
	$(BIN)/python -m coverage run -m pytest -m "not slow"
	$(BIN)/python -m coverage report --skip-covered --sort=cover | tail -40

check: $(READY) ## lint, types, import rules, documentation
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python docs/reference.py --check

format: $(READY) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY) ## run the benchmarks that need nothing else; figures in benchmarks/*/README.md
	$(BIN)/python benchmarks/engine/bench.py --out $(VENV)/engine.json && $(BIN)/python benchmarks/engine/tell.py $(VENV)/engine.json
	$(BIN)/python benchmarks/analysis/speed.py
	$(BIN)/python benchmarks/culture/speed.py
	@test -n "$$COVARY_DATA" || echo "COVARY_DATA names no folder of real data; skipped: equivalence, lint"
	@test -z "$$COVARY_DATA" || { $(BIN)/python -m benchmarks.equivalence && $(BIN)/python benchmarks/lint/speed.py "$$COVARY_DATA/mathmist"; }

docs: $(READY) ## write the generated pages: command line and tables
	$(BIN)/python docs/reference.py

wheel: $(READY) ## build the wheel and test it outside the source folder
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m tests.wheel dist

lock: $(READY) ## resolve the pinned dependencies anew, extras at the same versions
	$(LOCK) --group dev --upgrade -o requirements.lock
	sed -E 's/ \\$$//; /^ +--hash/d' requirements.lock > $(VENV)/constraints.txt
	$(LOCK) --constraint $(VENV)/constraints.txt --extra datasets --extra pdf --upgrade -o requirements-extras.lock
	$(LOCK) --constraint $(VENV)/constraints.txt --extra ray --upgrade -o requirements-ray.lock

clean: ## remove what was built
	rm -rf $(VENV) dist .coverage .ruff_cache
