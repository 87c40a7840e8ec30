# What each of these does is in docs/contributing.md; `make` alone lists them.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Whatever is installed is installed for one state of these two files; a second run sees the stamp and goes straight on.
STATE  := $(shell cat requirements.txt pyproject.toml | sha256sum | cut -c1-16)
CORE   := $(VENV)/core-$(STATE)
ALL    := $(VENV)/all-$(STATE)
# Likewise what checks the JavaScript: node_modules is made for one state of these two.
WEB    := node_modules/web-$(shell cat package.json package-lock.json | sha256sum | cut -c1-16)
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check --progress-bar off

# Files go to whichever worker is free, the longest ones first (conftest.py has their order).
FILES  := --dist=loadfile --no-loadscope-reorder
CORES  := $(shell getconf _NPROCESSORS_ONLN)
MORE   := $(shell expr $(CORES) + 2)

export PIP_NO_INPUT = 1
# HAProxy and nginx, which tests start, are in folders that are not on every account's PATH.
export PATH := $(PATH):/usr/sbin:/sbin
# Our own modules are compiled once, not by every process that a test starts.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run label-studio test test-all check pytest-check pytest-test pytest-all lint system docs site lock wheels clean

help:
	@echo "make run     the demo project on 127.0.0.1:8501 (sets up what it needs)"
	@echo "make label-studio  a local Label Studio on 127.0.0.1:8080, for trying (installs it on first use, about 1 GB)"
	@echo "make setup   .venv with everything that development needs"
	@echo "make check   the fast loop: style and types of Python and JavaScript, and quick tests without browser or server"
	@echo "make test    before you send a change: also one journey per role, databases, Label Studio, and every planted fault"
	@echo "             (as root it installs the system packages that are missing; Label Studio below .cache)"
	@echo "make test-all  every test with all its examples, before a release"
	@echo "make docs    write docs/reference.md from the code"
	@echo "make site    build the documentation site in build/site, with a search"
	@echo "make lock    compile requirements.txt, -core.txt and -dev.txt from pyproject.toml"
	@echo "make wheels  fill build/wheels for the container image and for installations without a network"
	@echo "make clean   remove .venv and every cache (data/ stays)"

setup: $(ALL)

run: $(CORE)
	@$(BIN)/touchstone demo

label-studio: | $(BIN)/python
	@$(BIN)/python tools/label_studio.py

# Style and types are looked at while the first tests run: each leaves some time of the cores to the other.
# testkit/lanes.py says which tests a lane has. Many of `test` and `test-all` wait for servers: they get two more workers.
check: $(ALL) $(WEB)
	@$(MAKE) --no-print-directory --jobs=2 lint pytest-check

test: $(ALL) $(WEB)
	@$(MAKE) --no-print-directory --jobs=2 lint pytest-test

test-all: $(ALL) $(WEB)
	@$(MAKE) --no-print-directory --jobs=2 lint pytest-all

pytest-check: $(ALL)
	@$(BIN)/python -m pytest --numprocesses=$(CORES) $(FILES) --lane=check

pytest-test: $(ALL) system
	@$(BIN)/python -m pytest --numprocesses=$(MORE) $(FILES) --lane=test

pytest-all: $(ALL) system
	@$(BIN)/python -m pytest --numprocesses=$(MORE) $(FILES)

lint: $(ALL) $(WEB)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python tools/web.py

system: $(ALL)
	@$(BIN)/python tools/system.py

docs: $(ALL)
	@$(BIN)/python tools/reference.py

site: docs
	@$(BIN)/python tools/site.py

lock: $(ALL)
	@$(BIN)/python tools/lock.py

wheels: $(CORE)
	@$(BIN)/python tools/wheels.py

clean:
	rm -rf $(VENV) node_modules .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Touchstone needs Python 3.11 or newer; say which with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Install the package python3-venv." >&2; exit 1; }

$(CORE): | $(BIN)/python
	@echo "installing Touchstone into $(VENV) (about a minute, once)"
	@$(PIP) --require-hashes --no-deps --requirement requirements-core.txt
	@$(PIP) --no-build-isolation --editable .
	@touch $@

$(ALL): | $(BIN)/python
	@echo "installing everything that development needs into $(VENV) (a few minutes, once)"
	@$(BIN)/python tools/lock.py --torch > $(VENV)/torch.txt
	@# Held against hashes pip takes an index's file before a folder's: a build of torch in pip's own folders goes first.
	@$(PIP) --require-hashes --no-deps --no-index --requirement $(VENV)/torch.txt 2> /dev/null || true
	@$(BIN)/python tools/lock.py --plain > $(VENV)/plain.txt
	@$(PIP) --require-hashes --no-deps --requirement $(VENV)/plain.txt
	@$(PIP) --no-build-isolation --editable '.[models]'  # where torch comes with an accelerator's libraries, these too
	@touch $@ $(CORE)

$(WEB): | $(ALL)
	@$(BIN)/python tools/web.py install
	@touch $@
