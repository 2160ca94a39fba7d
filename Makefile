# make demo   install the core and optimize one kernel
# make test   install everything the tests need and run them
# make lint   ruff and mypy
# make replay compare the code generated for many programs with the committed hashes (ARGS=--help says more)
# make clean  remove everything that the other targets made

PYTHON ?= python3.11
VENV   := .venv
BIN    := $(VENV)/bin

# A stamp is written only after its step has succeeded, so an interrupted installation is done again.
CREATED    := $(VENV)/.created
CORE       := $(VENV)/.core-installed
EVERYTHING := $(VENV)/.everything-installed

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint replay clean

demo: $(CORE)
	@mkdir -p build
	$(BIN)/polyloop optimize data/kernels/gemm.c -o build/gemm_opt.c

test: $(EVERYTHING)
	$(BIN)/python -m pytest -n 2

lint: $(EVERYTHING)
	$(BIN)/ruff check .
	$(BIN)/mypy polyloop tests

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
	$(PIP_INSTALL) --editable '.[dev,viz,gnn,sb3,tui]'
	touch $@
