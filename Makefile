# make            set up, replay every notebook, build the site into _build/html
# make test       set up, build, run every test (what CI runs)
# make lab        open the course in JupyterLab
# make grade SUBMISSIONS=folder   grade a class's practice notebooks   (OPTIONS="--out autumn --jobs 4" for more)
# make record     execute the pages whose text changed and store their notebooks   (PAGES="a.md b.md" for some)
# make replay     run every notebook again and compare each printed character
# Everything stays inside this folder.

SHELL := /bin/sh
VENV := .venv
PY := $(VENV)/bin/python
PAGES ?=
OPTIONS ?=
REQUIREMENTS ?= requirements.txt

# Caches, settings and runtime files of the tools, kept out of the home directory.
export PIP_CACHE_DIR := $(CURDIR)/.cache/pip
export IPYTHONDIR := $(CURDIR)/.cache/ipython
export JUPYTER_CONFIG_DIR := $(CURDIR)/.cache/jupyter/config
export JUPYTER_DATA_DIR := $(CURDIR)/.cache/jupyter/data
export JUPYTER_RUNTIME_DIR := $(CURDIR)/.cache/jupyter/runtime
export JUPYTERLAB_SETTINGS_DIR := $(CURDIR)/.cache/jupyter/lab/settings
export JUPYTERLAB_WORKSPACES_DIR := $(CURDIR)/.cache/jupyter/lab/workspaces
export MPLCONFIGDIR := $(CURDIR)/.cache/matplotlib
export npm_config_cache := $(CURDIR)/.cache/npm
export PLAYWRIGHT_BROWSERS_PATH := $(CURDIR)/.cache/browsers
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: all env record replay book site test grade bench lab lock versions clean
.DEFAULT_GOAL := all

all: site
	@echo
	@echo "The site is built. Open _build/html/index.html in a browser."

env: $(VENV)/ready

# Any Python from 3.11 on will do. PYTHON=/path/to/python chooses one.
$(VENV)/ready: $(REQUIREMENTS)
	@found=""; \
	for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11 python; do \
	  if command -v $$candidate >/dev/null 2>&1 && \
	     $$candidate -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "No Python 3.11 or newer with the venv module was found. Install one, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; \
	fi; \
	echo "Setting up the environment in $(VENV) with $$found (once; two or three minutes)."; \
	$$found -m venv $(VENV) && \
	$(PY) -m pip install --quiet --requirement $(REQUIREMENTS) || \
	{ echo "The environment could not be set up; the message above says why. Nothing outside this folder was touched. Run make again when it is mended." >&2; exit 1; }
	@touch $@

record: env
	@$(PY) -m answers.derive
	@$(PY) tests/record.py $(PAGES)

replay: env
	@echo "Replaying every notebook and comparing each printed character."
	@$(PY) -m pytest --quiet --numprocesses auto chapters toolkit answers

book: env
	@echo "Building the site."
	@# Sphinx does not see that its extensions or templates have changed; then every page is built again.
	@if [ -f _build/html/searchindex.js ] && [ -n "$$(find _ext _templates _config.yml requirements.txt -newer _build/html/searchindex.js)" ]; then rm -rf _build/html _build/.doctrees; fi
	@$(VENV)/bin/jupyter-book build . -W -n --keep-going --quiet || \
	{ echo "The site was not built: each WARNING above names a file and what is wrong there." >&2; exit 1; }

site: replay book

test: book
	@$(PY) tests/browser.py
	@$(PY) -m pytest --numprocesses auto

# Grades every practice notebook in a folder: make grade SUBMISSIONS=folder. OPTIONS are those of python -m answers.grading.
grade: env
	@if [ -z "$(SUBMISSIONS)" ]; then echo "Say which folder holds the notebooks: make grade SUBMISSIONS=folder" >&2; exit 2; fi
	@$(PY) -m answers.grading $(OPTIONS) -- "$(SUBMISSIONS)"

bench: book
	@$(PY) tests/bench.py

lab: env
	@echo "Opening JupyterLab. Start with chapters/12-is-that-score-real.ipynb."
	@$(PY) -m jupyterlab

# Replays the notebooks with the oldest and the newest NumPy, on each Python that is installed.
versions: env
	@$(PY) tests/versions.py

lock: env
	@$(PY) -m pip install --quiet --target .cache/uv uv
	@.cache/uv/bin/uv pip compile --universal --python-version 3.11 --fork-strategy fewest --upgrade --quiet \
	  --no-emit-index-url --no-emit-find-links requirements.in --output-file requirements.txt

clean:
	rm -rf _build .cache .pytest_cache
