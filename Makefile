# The front door: what is built, and how, CMake says (CMakeLists.txt, CMakePresets.json).

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# Where CMake has not yet chosen: Ninja if it is there.
ifneq ($(shell command -v ninja 2>/dev/null),)
export CMAKE_GENERATOR ?= Ninja
endif

configure = cmake --preset $(1)
# Not this make's flags: they confuse the make (or ninja) below.
build = env -u MAKEFLAGS -u MAKELEVEL cmake --build --preset $(1) -j $(JOBS)
sources = find lib apps tests \( -name '*.h' -o -name '*.cpp' \)
clang_format = $$(command -v clang-format-14 || echo clang-format)

.PHONY: all demo test asan tsan thread-safety tidy format format-check bench experiment \
        router-demo router-bench interop mutants install deps clean help

all: ## build library and programs (release); programs land in build/bin
	@$(call configure,release)
	@$(call build,release) --target nio-all

demo: ## echo-server and echo-client at work, for a few seconds
	@.ci/deps demo
	@$(call configure,release)
	@$(call build,release) --target nio-all
	@apps/demo.sh build/bin

router-demo: ## sms-router at work, between a simulated SMSC and a few ESMEs
	@.ci/deps demo
	@$(call configure,release)
	@$(call build,release) --target sms-router smpp-bench
	@apps/router_demo.sh build/bin

test: ## build and run all tests
	@.ci/deps test
	@$(call configure,release)
	@$(call build,release)
	@ctest --preset release

asan: ## the tests under AddressSanitizer and UBSan
	@.ci/deps all
	@$(call configure,asan)
	@$(call build,asan)
	@ctest --preset asan

# Older ThreadSanitizers cannot live with much address randomisation: off where that is allowed.
tsan: ## the tests under ThreadSanitizer
	@.ci/deps all
	@$(call configure,tsan)
	@$(call build,tsan)
	@fixed=; if setarch -R true 2>/dev/null; then fixed='setarch -R'; fi; $$fixed ctest --preset tsan

thread-safety: ## clang's thread-safety analysis of library and programs, as errors
	@.ci/deps all
	@$(call configure,thread-safety)
	@$(call build,thread-safety)

tidy: ## clang-tidy over library and programs
	@.ci/deps all
	@$(call configure,thread-safety)
	@find lib apps -name '*.cpp' | xargs -P $(JOBS) -n 1 clang-tidy -p build/thread-safety --quiet

format: ## bring all sources into shape
	@.ci/deps all
	@$(sources) -exec $(clang_format) -i {} +

format-check: ## fail where `make format` would change something
	@.ci/deps all
	@$(sources) -exec $(clang_format) --dry-run -Werror {} +

bench: ## build and run the benchmarks
	@test -f tests/bench/CMakeLists.txt || { echo 'nio: there are no benchmarks here' >&2; exit 1; }
	@.ci/deps all
	@$(call configure,release)
	@$(call build,release) --target bench

# EXPERIMENT='--quick --docs' and the like: tests/bench/experiment.py --help lists them.
experiment: ## four threading models compared: measures, and writes a page with plots
	@.ci/deps demo
	@command -v python3 >/dev/null || { echo 'nio: missing: python3' >&2; exit 1; }
	@$(call configure,release)
	@$(call build,release) --target nio-all model-server
	@python3 -B tests/bench/experiment.py $(EXPERIMENT)

# BENCH='--repeat 5 --write docs/benchmarks.md' and the like: router_bench.py --help lists them.
router-bench: ## the SMPP router measured: messages per second, CPU per message
	@.ci/deps demo
	@$(call configure,release)
	@$(call build,release) --target sms-router smpp-bench
	@python3 -B tests/bench/router_bench.py --bin build/bin $(BENCH)

interop: ## the SMPP router with node-smpp, Kannel and tshark, which it installs
	@.ci/deps test
	@tests/interop/deps.sh build/interop
	@$(call configure,release)
	@$(call build,release) --target sms-router smpp-bench
	@python3 -B tests/interop/run.py all --bin build/bin --node build/interop

mutants: ## put known defects into a copy of the library: a test must notice each
	@.ci/deps test
	@python3 -B tests/mutants/run.py

install: all ## install library, headers and programs under PREFIX (/usr/local)
	@cmake --install build --prefix '$(PREFIX)'

deps: ## install what is missing for any of the above
	@.ci/deps all
	@echo 'nio: nothing is missing'

clean: ## remove all that was built
	@rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile
