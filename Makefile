# The commands of this project; `make help` lists them. Each installs and builds what it needs.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

RELEASE := build/release
PYTHON := .venv/bin/python
# How many random programs `make fuzz` runs.
N ?= 50000

##@ Everyday
.PHONY: demo
demo: install $(if $(PEERS),peers) ## build, and train on the handwritten digits (PEERS=1: beside PyTorch)
	@tools/build.sh release demo
	@$(RELEASE)/examples/digits $(if $(PEERS),--peers $(PYTHON)) $(ARGS)
	@tools/python.sh --run $(RELEASE) examples/digits.py
	@$(if $(PEERS),tools/python.sh --run $(RELEASE) examples/digits.py --tensors torch)

.PHONY: test
test: install ## build everything and run every test
	@tools/build.sh release all
	@tools/run_tests.sh release

.PHONY: build
build: install ## build everything into build/release
	@tools/build.sh release all

##@ Further checks
.PHONY: check-sanitizers
check-sanitizers: install ## the tests under address, undefined-behaviour and thread sanitizers
	@for preset in asan-ubsan tsan; do \
	  tools/build.sh $$preset all && tools/run_tests.sh $$preset || exit 1; \
	done

.PHONY: fuzz
fuzz: install ## N random tensor programs, eager against compiled (N=50000)
	@tools/build.sh fuzz fuzz
	@tools/build.sh fuzz frit_cc
	@build/fuzz/tools/fuzz --programs $(N) $(ARGS)

.PHONY: sabotage
sabotage: install ## faults planted in the compiler: how many random programs find each
	@tools/sabotage $(ARGS)

.PHONY: check
check: install ## formatting, include directions, clang-tidy of what changed (ALL=1: of everything)
	@tools/check.sh $(if $(ALL),--all)

.PHONY: newcomer
newcomer: ## both commands of the README on fresh systems, as a new user (needs root; SUITES="bookworm trixie")
	@tools/newcomer.sh $(SUITES)

.PHONY: bench
bench: install $(if $(PEERS),peers) ## the benchmarks (PEERS=1: beside PyTorch)
	@tools/build.sh release all
	@tools/run_benchmarks.sh $(if $(PEERS),--peers $(PYTHON))

##@ Pieces
.PHONY: install
install: ## the packages that are missing
	@tools/install.sh
	@tools/python.sh

.PHONY: peers
peers: install ## PyTorch and numpy in .venv/
	@tools/peers.sh

.PHONY: format
format: install ## rewrite the sources in the project's format
	@git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

.PHONY: clean
clean: ## remove build/
	rm -rf build

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
