.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
ZIPKIN := 3.5.1
JAEGER := v1.76.0

.venv/.installed: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "slowpath needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) comes without venv: install python3-venv (Debian, Ubuntu) and run make again"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.PHONY: run test check fix lock bench mutants programs jaeger help

run: .venv/.installed ## start the app on http://localhost:8501 (sample data on first start)
	@$(BIN)/slowpath serve

test: .venv/.installed ## run all tests
	@$(BIN)/python -m pytest

check: .venv/.installed ## what CI runs: format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(MAKE) --no-print-directory test

fix: .venv/.installed ## format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.installed ## measure, as ratios against a baseline in the same run
	@$(BIN)/python -m bench

mutants: .venv/.installed ## change the partition and the cleaning place by place: do the tests notice?
	@$(BIN)/python -m bench.mutants

programs: ## fetch what tests/programs talks to: node packages, a Zipkin server
	@mkdir -p .programs && cp tests/programs/node/package.json .programs
	@timeout 300 npm install --prefix .programs --no-package-lock --no-audit --no-fund --silent || \
		echo "no node packages: their tests will skip"
	@cd .programs && { test -e zipkin.jar || { timeout 300 mvn --quiet --batch-mode dependency:copy \
		-Dartifact=io.zipkin:zipkin-server:$(ZIPKIN):jar:exec -DoutputDirectory=. && \
		mv zipkin-server-$(ZIPKIN)-exec.jar zipkin.jar; }; } || echo "no Zipkin: its tests will skip"

jaeger: ## build the Jaeger that tests/programs talks to, with go: minutes, and a few GB on the way
	@mkdir -p .programs/build && cd .programs/build && { test -e go.mod || go mod init programs; } && \
		go get -tool github.com/jaegertracing/jaeger/cmd/jaeger@$(JAEGER) && \
		go build -o ../jaeger github.com/jaegertracing/jaeger/cmd/jaeger

lock: .venv/.installed ## write requirements.lock anew from pyproject.toml
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --strip-extras --extra dev --no-header --no-annotate --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --allow-unsafe -o requirements.lock pyproject.toml

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10
