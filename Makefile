# Everything runs in a virtual environment that is built on first use and kept.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11, 5) <= sys.version_info < (3, 14))' 2>/dev/null \
	&& echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Tests at once, and processes that check types: one more than two cores, as tests wait for a fifth
# of their time.
TESTERS ?= 3
STAMP := $(VENV)/.installed
# uv installs in seconds; pip does where it is absent.
INSTALL := $(if $(shell command -v uv),uv pip install --no-config --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet)
# Programs for single targets, in an environment of their own.
TOOLS := build/tools
UV := $(TOOLS)/bin/uv
# The TypeScript SDK of MCP; its test looks there and is skipped without it.
NODE := build/node
# What is pinned, for all platforms, with hashes: the base install, and what packages/ and
# development add.
LOCK := requirements.lock
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11.5 \
	--generate-hashes --no-annotate --no-header
# Seconds of fuzzing.
FUZZ ?= 3600
PYTEST := $(BIN)/python -m pytest -n $(TESTERS) --dist loadfile --no-loadscope-reorder
# What runs on a Qdrant server, if one is named.
SERVER_TESTS := tests/contract/search/test_index_contract.py tests/integration/search/test_filters.py \
	tests/integration/search/test_relocation.py $(wildcard packages/citeloom-server/tests/*/test_server*.py) \
	$(wildcard tests/real/test_server*.py)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export MYPYPATH := .typing
# Packages that plug into the core.
WINGS := $(wildcard packages/*)

# What the site is made of: each page under the path that links to it use.
PAGES := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs specs/decisions specs/schemas \
	specs/on-disk.md benchmarks/RESULTS.md tools/training/claims/README.md

.PHONY: demo test test-faults test-pages test-server check lint types contracts specs transcripts screenshots film \
	docs bench clean lock constraints mcpb typescript

demo: $(STAMP)  ## ingest the sample library and ask it three questions
	$(BIN)/citeloom demo

# CITELOOM_TEST_EXAMPLES=100: four times as many examples for each property.
test: check  ## lint, types, contracts, the tests of each change
	@$(BIN)/python -m compileall -q src packages  # or each test process would
	$(PYTEST)

test-pages: $(STAMP)  ## the commands that docs/ shows (README's are in `make test`), and the wheel
	$(PYTEST) -m pages

test-faults: $(STAMP)  ## kills, corruptions and full disks: an hour
	$(PYTEST) -m faults

# QDRANT_PROGRAM, a program that starts a Qdrant server, is for tests that kill servers of their own.
test-server: $(STAMP)  ## servers, processes that share something; on an empty Qdrant at QDRANT_URL too
	$(PYTEST) -m server
	@test -z "$(QDRANT_URL)" || CITELOOM_TEST_QDRANT_URL=$(QDRANT_URL) \
		CITELOOM_TEST_QDRANT_API_KEY=$(QDRANT_API_KEY) \
		CITELOOM_TEST_QDRANT_PROGRAM=$(QDRANT_PROGRAM) \
		$(BIN)/python -m pytest -m "not faults" $(SERVER_TESTS)

check: lint types contracts

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) .typing/citeloom
	$(BIN)/mypy -n $(TESTERS) -p citeloom $(foreach wing,$(wildcard packages/*/citeloom_*),-p $(notdir $(wing)))

contracts: $(STAMP)
	$(BIN)/lint-imports

specs: $(STAMP)  ## write the generated files in specs/ and docs/ again
	$(BIN)/python specs/generate.py

transcripts: $(STAMP)  ## run the commands of README and docs/, and write what they print
	$(BIN)/python -m specs.transcripts --write

screenshots: $(STAMP)  ## take the pictures of docs/screenshots.md in Chromium
	$(BIN)/python -m specs.screenshots

film: $(STAMP)  ## record the film of README in Chromium: docs/film.webp
	$(BIN)/python -m specs.film

docs: $(TOOLS)/.installed  ## build README and docs/ as a site with a search: build/site
	@rm -rf build/pages && mkdir -p build/pages
	@for page in $(PAGES); do mkdir -p build/pages/$$(dirname $$page) \
		&& ln -s $(CURDIR)/$$page build/pages/$$page; done
	NO_MKDOCS_2_WARNING=1 $(TOOLS)/bin/mkdocs build --strict --quiet
	@echo build/site/index.html

bench: $(STAMP)  ## measure query latency; see benchmarks/ for the others
	$(BIN)/python benchmarks/query_latency.py

fuzz: $(STAMP)  ## read changed inputs for FUZZ seconds (an hour)
	nice -n 19 $(BIN)/python tests/fuzz/campaign.py --seconds $(FUZZ)

sbom: $(STAMP)  ## write the bill of materials of the base install (CycloneDX)
	@mkdir -p dist
	$(BIN)/python tools/supply_chain/sbom.py > dist/citeloom.cdx.json
	@echo dist/citeloom.cdx.json

audit: $(TOOLS)/.installed  ## ask PyPI and OSV for known vulnerabilities of what is pinned
	$(TOOLS)/bin/python tools/supply_chain/audit.py $(TOOLS)/bin/pip-audit

lock: $(TOOLS)/.installed  ## pin what pyproject.toml pulls in; UPGRADE=--upgrade for newer
	echo "citeloom @ file://$(CURDIR)" | $(COMPILE) $(UPGRADE) --override - --no-emit-package citeloom \
		pyproject.toml $(WINGS:%=%/pyproject.toml) --extra dev --output-file $(LOCK)

constraints: $(TOOLS)/.installed  ## write the part of the lock that is the base install, for pip
	@mkdir -p dist
	$(COMPILE) --constraint $(LOCK) pyproject.toml --output-file dist/constraints.txt
	@echo dist/constraints.txt

size: constraints  ## install the base install into a new environment and weigh it
	rm -rf build/base && $(PYTHON) -m venv build/base
	build/base/bin/python -m pip install --quiet --require-hashes --requirement dist/constraints.txt
	build/base/bin/python -m pip install --quiet --no-deps .
	build/base/bin/python tools/supply_chain/size.py build/base

wheel: $(STAMP)  ## build the wheel: the same bytes from the same tree
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} $(BIN)/python -m pip \
		wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

mcpb: wheel  ## build the MCP bundle, which desktop applications install: dist/citeloom-*.mcpb
	$(BIN)/python tools/distribution/bundle.py dist

typescript: $(NODE)/.installed  ## install the TypeScript SDK and the conformance suite of MCP, and axe-core, for tests

$(NODE)/.installed: Makefile
	npm install --silent --no-audit --no-fund --prefix $(NODE) \
		@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/conformance@0.1.16 \
		axe-core@4.10.3
	@touch $@

$(TOOLS)/.installed: Makefile
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet uv==0.13.9 pip-audit==2.10.1 \
		mkdocs==1.6.1 mkdocs-material==9.8.1
	@touch $@

$(STAMP): pyproject.toml setup.py $(LOCK) $(wildcard packages/*/pyproject.toml)
	@test -n "$(PYTHON)" || { echo "citeloom needs Python 3.11.5 or later, 3.12 or 3.13"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes --requirement $(LOCK)
	$(INSTALL) --no-deps --no-build-isolation --editable . \
		$(addprefix --editable ./,$(WINGS))
	@touch $@

.typing/citeloom:
	@mkdir -p .typing && ln -sfn ../src .typing/citeloom
	@for wing in $(WINGS); do for package in $$wing/citeloom_*; do \
		ln -sfn ../$$package .typing/$$(basename $$package); done; done

clean:
	rm -rf $(VENV) .typing .demo build *.egg-info
