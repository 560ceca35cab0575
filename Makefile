# Two commands matter: `make demo` and `make test`. Both set up all they need; the second time they download and build nothing.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
export OPENBLAS_NUM_THREADS := 1
TRIP ?= tests/data/trips/first_trip/trip.mcap
READY := $(VENV)/.ready
PARALLEL := -n auto --maxprocesses 8

.PHONY: help setup models demo test test-model check replay golden bench bench-model eval-duplex eval-redteam proto diagrams trip format clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z%-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(READY): pyproject.toml tools/setup.sh
	@bash tools/setup.sh $(VENV)

setup: $(READY)

models: setup
	@$(BIN)/ridealong models fetch --quiet

demo: models ## replay the bundled trip; FAST=1 on virtual time, TRIP=path for another one
	@$(BIN)/ridealong trip replay "$(TRIP)" --exclusive $(if $(FAST),--fast)

test-model: setup ## the 9B model's code at tiny size (installs torch and transformers, once)
	@bash tools/setup_model.sh $(VENV)
	@$(BIN)/python -m pytest -m model

test: models ## all tests but the benches
	@$(BIN)/python -m pytest -m unit $(PARALLEL)
	@$(BIN)/python -m pytest -m "not unit and not bench and not gpu and not model"

check: setup ## format, lint, types, layers, generated code, diagrams, unit tests (UNIT=no leaves those to make test)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python tools/generate.py --check
	@$(BIN)/python tools/diagrams.py --check
	@$(BIN)/python tools/safety_matrix.py --check
	@$(BIN)/python tools/known_words.py --check
	@[ "$(UNIT)" = no ] || $(BIN)/python -m pytest -m unit $(PARALLEL)

replay: models ## golden traces and whole trips on virtual time
	@$(BIN)/python -m pytest -m replay

golden: models ## write the golden traces again and show the difference
	@RIDEALONG_GOLDEN=write $(BIN)/python -m pytest -m replay || true
	@git --no-pager diff --stat -- tests
	@git --no-pager diff -- tests

bench: models ## every bench that needs no torch (that is bench-model), one after the other
	@for bench in $(filter-out %/bench_model.py,$(wildcard tests/bench/bench_*.py)); do echo "== $$bench"; $(BIN)/python $$bench $(ARGS) || exit 1; done

eval-redteam: models ## attack it by microphone and camera (ARGS="--limit 10", …)
	@$(BIN)/ridealong eval redteam --seed 1 $(ARGS)

eval-duplex: models ## measure conversation (long; ARGS="--limit 8 --suite turns", …)
	@$(BIN)/ridealong eval duplex --seed 1 $(ARGS)

bench-model: setup ## the 9B model's time: random weights, on a GPU at full size (installs torch, once)
	@bash tools/setup_model.sh $(VENV)
	@$(BIN)/python tests/bench/bench_model.py $(ARGS)

bench-%: models
	@$(BIN)/python tests/bench/bench_$(subst -,_,$*).py $(ARGS)

proto: setup ## generate the wire's code again
	@$(BIN)/python tools/generate.py

diagrams: setup ## draw the machines' diagrams and the safety matrix again
	@$(BIN)/python tools/diagrams.py
	@$(BIN)/python tools/safety_matrix.py

format: setup ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean: ## remove the environment and the runs
	rm -rf $(VENV) runs build *.egg-info .mypy_cache .ruff_cache .pytest_cache
