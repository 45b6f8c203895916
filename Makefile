PYTHON ?= python3
BIN := .venv/bin
NOTEBOOKS := $(wildcard notebooks/0*.ipynb)
EXECUTE := nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False
SOLUTIONS := $(wildcard solutions/0*.ipynb)
CHOSEN := $(wildcard solutions/$(ONLY)_*.ipynb) $(patsubst solutions/n%/,solutions/%.ipynb,$(dir $(wildcard solutions/n*/$(ONLY).py)))

.PHONY: lab test test-browser test-everywhere lint screenshots pictures bench bench-grading notebooks exercises selftest recall grade test-hub plans rehearse slides preflight catch-up release site

lab: .venv/ready .venv/trusted  ## open JupyterLab on the course
	@JUPYTER_CONFIG_PATH=.jupyter $(BIN)/jupyter lab

test: .venv/ready  ## run every test and every notebook; ONLY=05 those of a notebook or a name
	OMP_NUM_THREADS=1 $(BIN)/pytest $(if $(ONLY),-k "$(ONLY)",-n 3)

test-browser: .venv/ready  ## the course in a real browser, with a last line of what was counted; ONLY=05
	EVERY_NOTEBOOK=1 OMP_NUM_THREADS=1 $(BIN)/pytest tests/browser $(if $(ONLY),-k "$(ONLY)",-n 2 --dist=load)

test-everywhere: .venv/ready  ## the same under other processors' settings, versions and users
	$(BIN)/python -m tests.everywhere $(ONLY)

lint: .venv/ready  ## style of code and notebooks
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

screenshots: .venv/ready  ## pictures of every notebook in both themes, in build/screenshots; ONLY=05
	EVERY_NOTEBOOK=1 SCREENSHOTS=1 $(BIN)/pytest tests/browser/test_notebooks.py -k "notebooks/$(or $(ONLY),0)"

pictures: .venv/ready  ## the README's picture, made by notebook 06
	$(BIN)/python -m tests.pictures

bench: .venv/ready  ## speed and memory; `make bench ONLY=additive` runs one
	$(BIN)/python -m tests.bench $(ONLY)

bench-grading: .venv/ready  ## how fast a made-up class is graded
	$(BIN)/python -m grading.tests.bench $(ONLY)

notebooks: .venv/ready  ## run every notebook and store its outputs; ONLY=05
	$(BIN)/jupyter $(EXECUTE) $(wildcard notebooks/$(or $(ONLY),0)*.ipynb)

exercises: .venv/ready  ## build exercises/ from solutions/, and run the solution notebooks; ONLY=05 or a task
	$(BIN)/python -m solutions.build $(ONLY)
	$(BIN)/jupyter $(EXECUTE) $(if $(ONLY),$(CHOSEN),$(SOLUTIONS))

selftest: .venv/ready  ## check the checks: mistakes named, right answers accepted, mutants caught; ONLY=05 or a task
	$(BIN)/python -m solutions.selftest $(ONLY)

recall: .venv/ready  ## the checks on labelled answers, by default those in solutions/labelled; ANSWERS=file
	$(BIN)/python -m solutions.evaluate_checks $(ANSWERS)

test-hub: .venv/ready  ## ten learners at once on a real JupyterHub: docs/hub.md says what it needs
	@$(BIN)/python -m workshop.hub.trial

grade: .venv/ready  ## grade a class: make grade SUBMISSIONS=folder [GRADES=folder] [OPTIONS=--resume]
	@test -n "$(SUBMISSIONS)" || { echo "What was handed in? make grade SUBMISSIONS=folder" >&2; exit 1; }
	$(BIN)/python -m grading "$(SUBMISSIONS)" --out "$(or $(GRADES),grades)" $(OPTIONS)

plans: .venv/ready  ## timed plans for a room, in workshop/, from workshop/plans and the notebooks
	$(BIN)/python -m workshop.plan

rehearse: .venv/ready  ## walk through a plan against the clock, with a voice: ONLY=half-day; needs espeak-ng
	@$(BIN)/python -m workshop.rehearsal $(ONLY)

slides: .venv/site  ## the plans and the notebooks as slides, in build/slides
	@$(BIN)/python -m workshop.slides

preflight: .venv/ready  ## is this machine ready for the course? OPTIONS=--grading asks for the sandbox too
	@$(BIN)/python -m utils.preflight $(OPTIONS)

catch-up: .venv/ready  ## solved exercises of all notebooks before one, for whoever fell behind: UPTO=04
	@test -d solutions || { echo "Catching up needs solutions/, which this copy of the course does not have." >&2; exit 1; }
	@$(BIN)/python -m solutions.catch_up $(UPTO)

release: .venv/ready  ## the learners' zip, without solutions, in dist/
	$(BIN)/python -m grading.release

site: .venv/site  ## the course to read and to move, without a kernel, in build/site
	$(BIN)/python docs/site/build.py build/site

.venv/site: .venv/ready pyproject.toml
	@$(BIN)/python -m pip install -q -e .[site] && touch $@

.venv/trusted: $(NOTEBOOKS) | .venv/ready  ## sign the notebooks, so that their pictures show at once
	@$(BIN)/jupyter trust $? >/dev/null
	@touch $@

.venv/ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "This course needs Python 3.11 or newer, and $(PYTHON) is not. Name a newer one: make lab PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up .venv: this takes a minute or two, once."
	@$(PYTHON) -m venv .venv || { echo "Could not make .venv. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install -r requirements.txt 2>.venv/install.log || \
	  { echo "Could not install the requirements. Is the network up? Details: .venv/install.log" >&2; exit 1; }
	@touch $@
