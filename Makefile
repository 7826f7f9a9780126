# Everything runs in a virtual environment that is built on first use and kept.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null \
	&& echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Tests at once: most of them wait, for servers, hand-overs and processes that are killed.
TESTERS ?= 3
STAMP := $(VENV)/.installed
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MYPYPATH := .typing

.PHONY: demo test test-faults check lint types contracts specs bench clean

demo: $(STAMP)  ## ingest the sample library and ask it three questions
	$(BIN)/citeloom demo

test: check  ## lint, types, contracts, all tests
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadfile --no-loadscope-reorder

test-faults: $(STAMP)  ## kills, corruptions and full disks: an hour
	$(BIN)/python -m pytest -n $(TESTERS) -m faults tests/faults

check: lint types contracts

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) .typing/citeloom
	$(BIN)/mypy -p citeloom

contracts: $(STAMP)
	$(BIN)/lint-imports

specs: $(STAMP)  ## write the generated files in specs/ and docs/ anew
	$(BIN)/python specs/generate.py

bench: $(STAMP)  ## measure query latency; see benchmarks/ for the others
	$(BIN)/python benchmarks/query_latency.py

$(STAMP): pyproject.toml setup.py constraints.txt
	@test -n "$(PYTHON)" || { echo "citeloom needs Python 3.11, 3.12 or 3.13"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

.typing/citeloom:
	@mkdir -p .typing && ln -sfn ../src .typing/citeloom

clean:
	rm -rf $(VENV) .typing .demo build *.egg-info
