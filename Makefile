# What you can do here: `make` prints it. Needs Python 3.11 or later, nothing else.

VENV ?= .venv
BIN := $(VENV)/bin
PYTHON ?=
JOBS ?= 2
READY := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help install demo run test torture check format bench conformance versions clean

help: ## what you can do here
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

install: $(READY) ## only make the environment

demo: $(READY) ## open a register, load a real one, and walk the story (REGISTER=FILE.jsonl: your own)
	$(BIN)/python examples/demo.py $(if $(REGISTER),--register '$(REGISTER)')

run: $(READY) ## the same, and leave the server running until Ctrl-C
	$(BIN)/python examples/demo.py $(if $(REGISTER),--register '$(REGISTER)') --keep-running

test: check ## lint, types, floors, and every test (JOBS=2 at a time)
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

torture: $(READY) ## kill the server and its database under load, and look for what was lost (ARGS='--kills 5')
	$(BIN)/python -m tests.torture $(ARGS)

check: $(READY) ## lint, format, types, floors
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## rewrite the code in the house's format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(READY) ## measure, and print the figures
	$(BIN)/python -m benchmarks $(ARGS)

conformance: $(READY) ## run the published conformance scenarios for MCP servers (brings its own Node)
	$(BIN)/python -m tests.conformance.run $(ARGS)

versions: ## take the newest allowed versions into constraints.txt
	rm -rf '$(VENV)'
	$(MAKE) CONSTRAINTS= $(READY)
	sed -i.old '/^[^#]/d' constraints.txt && rm constraints.txt.old
	$(PIP) freeze --exclude-editable >> constraints.txt

clean: ## remove the environment and what tools left behind
	rm -rf '$(VENV)' build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment: made again when what it is made from changes.
CONSTRAINTS ?= constraints.txt
$(READY): pyproject.toml $(CONSTRAINTS)
	@if ! '$(BIN)/python' -m pip --version >/dev/null 2>&1; then \
	    for python in '$(PYTHON)' python3 python3.14 python3.13 python3.12 python3.11 python; do \
	        "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	        python=; \
	    done; \
	    if [ -z "$$python" ]; then \
	        echo 'make: Smeldr needs Python 3.11 or later and found none. Install it, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python' >&2; \
	        exit 1; \
	    fi; \
	    echo "Making an environment in $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv --clear '$(VENV)' || { \
	        echo "make: $$python cannot make a virtual environment. On Debian or Ubuntu: apt install python3-venv" >&2; \
	        exit 1; \
	    }; \
	fi
	@echo 'Installing what pyproject.toml asks for (once, and when it changes)'
	@$(PIP) install --quiet --root-user-action=ignore $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS)) --editable '.[dev]'
	@touch $@
