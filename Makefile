.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
TEST := $(BIN)/python -m pytest -q -n auto --dist loadfile
# Tests of what prints figures, or is named by them.
FIGURES := tests/test_transcripts.py tests/test_contract.py tests/test_roads.py \
	tests/core/test_signatures.py tests/core/test_portable.py tests/aligners/test_aligners_api.py \
	tests/mt/test_mt_tune.py tests/tesla/test_tesla_model.py tests/tesla/test_tesla_signatures.py

.PHONY: help demo test test-processors test-needs test-duckdb test-extras lint bench report gallery docs clean

help: ## List these targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

$(RUNS): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -c constraints.txt -e '.[report,tesla,mt]'
	@touch $@

$(READY): $(RUNS)
	$(INSTALL) -c constraints.txt -e '.[report,tesla,dev]'
	@touch $@

demo: $(RUNS) ## Score the bundled systems and write reports/demo/index.html
	@$(BIN)/python reports/demo.py

test: $(READY) ## Run the tests
	$(TEST)

# BLAS's code for an old processor, on several threads (tests have one otherwise); then that of numpy
# and of the kernels, on one thread each.
test-processors: $(READY) ## Run the tests of printed figures as on two other processors
	OPENBLAS_CORETYPE=Prescott OPENBLAS_NUM_THREADS=4 $(TEST) $(FIGURES)
	NUMBA_CPU_NAME=generic NPY_DISABLE_CPU_FEATURES='X86_V3 X86_V4 AVX512_ICL' \
		OPENBLAS_NUM_THREADS=1 POLARS_MAX_THREADS=1 $(TEST) $(FIGURES)

test-needs: $(READY) ## Run only the tests that need WordNet, corpora or a browser
	$(TEST) -m needs

test-duckdb: $(READY) ## Run the SQL tests with the oldest DuckDB supported, and those of DuckLake
	$(INSTALL) --no-deps --upgrade --target $(VENV)/duckdb-oldest 'duckdb==1.5.5' \
		'duckdb-extension-ducklake==1.5.5' 'duckdb-extension-sqlite-scanner==1.5.5'
	PYTHONPATH=$(VENV)/duckdb-oldest $(BIN)/python -m pytest -q tests/engines/test_{sql*,export,*twins}.py \
		tests/lake/test_ducklake.py

test-extras: $(READY) ## Install each extra alone, and run its commands (EXTRAS='sail spark' for some)
	$(BIN)/python tests/extras.py $(EXTRAS)

lint: $(READY) ## Check style, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY) ## Compare speed and memory with other tools
	@$(INSTALL) -c constraints.txt -e '.[bench]'
	$(BIN)/python -m benchmarks

report: $(RUNS) ## Write the demo report, with its charts as PNG
	@$(BIN)/python reports/demo.py --figures

gallery: $(RUNS) ## Make the pictures of docs/gallery.md again, by its own commands
	$(BIN)/python docs/gallery.py

docs: $(RUNS) ## Build the documentation as a site with search, in build/site, and check its links
	@$(INSTALL) -c constraints.txt -e '.[docs]'
	@$(BIN)/python docs/build.py

clean: ## Remove the environment and all generated files
	rm -rf $(VENV) reports/demo build dist .pytest_cache .mypy_cache .ruff_cache
