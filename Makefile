# make demo          install the core and optimize one kernel
# make test          install everything the tests need and run them
# make check         the fast tests and ruff: less than a minute, for while one works
# make test-targets  the tests of generated code once more for AVX2 and for SSE, which are parts of this processor
# make lint          ruff and mypy
# make replay        compare the code generated for many programs with the committed hashes (ARGS=--help says more)
# make clean         remove everything that the other targets made
#
# make test PYTEST='-k cursor' hands options to pytest.

PYTHON ?= python3.11
PYTEST ?=
VENV   := .venv
BIN    := $(VENV)/bin

# A stamp is written only after its step has succeeded, so an interrupted installation is done again.
CREATED    := $(VENV)/.created
CORE       := $(VENV)/.core-installed
EVERYTHING := $(VENV)/.everything-installed

# Neighbours in a file mostly run in one process, which imports and compiles once what they share.
PYTEST_PARALLEL := $(BIN)/python -m pytest -n 2 --dist worksteal

# Tests start hundreds of processes; without bytecode on disk each one compiles what it imports, for three seconds.
export PYTHONDONTWRITEBYTECODE :=

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What depends on the instruction set: code generation, what searches find with it, and the front ends that feed it.
TARGETED := tests/backend tests/frontend tests/lowering tests/shaping tests/cursor tests/search

.PHONY: demo test check test-targets lint replay clean

demo: $(CORE)
	@mkdir -p build
	$(BIN)/polyloop optimize data/kernels/gemm.c -o build/gemm_opt.c

test: $(EVERYTHING)
	$(PYTEST_PARALLEL) $(PYTEST)

check: $(EVERYTHING)
	$(BIN)/ruff check .
	$(PYTEST_PARALLEL) -q -m 'not long and not slow' $(PYTEST)

test-targets: $(EVERYTHING)
	POLYLOOP_TARGET=avx2 $(PYTEST_PARALLEL) -q -m 'not long' $(TARGETED) $(PYTEST)
	POLYLOOP_TARGET=sse $(PYTEST_PARALLEL) -q -m 'not long' $(TARGETED) $(PYTEST)

lint: $(EVERYTHING)
	$(BIN)/ruff check .
	$(BIN)/mypy polyloop tests examples

replay: $(CORE)
	$(BIN)/python -m tests.replay $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CREATED):
	$(PYTHON) -m venv --clear $(VENV)
	touch $@

$(CORE): $(CREATED) pyproject.toml constraints.txt
	$(PIP_INSTALL) --editable .
	touch $@

$(EVERYTHING): $(CORE)
	$(PIP_INSTALL) --editable '.[dev,viz,gnn,sb3,tui,cost,minari]'
	touch $@
