# The front door: what is built, and how, CMake says (CMakeLists.txt, CMakePresets.json).

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

version := $(shell sed -n 's/^.define NIO_VERSION "\(.*\)"/\1/p' lib/nio/version.h)

# Where CMake has not yet chosen: Ninja if it is there.
ifneq ($(shell command -v ninja 2>/dev/null),)
export CMAKE_GENERATOR ?= Ninja
endif

configure = cmake --preset $(1)
# Not this make's flags: they confuse the make (or ninja) below.
build = env -u MAKEFLAGS -u MAKELEVEL cmake --build --preset $(1) -j $(JOBS)
sources = find lib apps tests \( -name '*.h' -o -name '*.cpp' \)
clang_format = $$(command -v clang-format-14 || echo clang-format)

.PHONY: all demo test test-uring asan tsan thread-safety tidy format format-check bench bench-quick \
        bench-inside bench-instructions bench-page experiment asan-gcc \
        router-demo http-demo router-bench interop hostility mutants planted soak fuzz coverage consumers \
        portability install docs dist deb deb-test container-test deps clean help

all: ## build library and programs (release); programs land in build/bin
	@$(call configure,release)
	@$(call build,release) --target nio-all

demo: ## echo-server and echo-client at work, for a few seconds
	@.ci/deps demo
	@$(call configure,demo)
	@$(call build,demo) --target echo-server echo-client
	@apps/demo.sh build/demo/bin

router-demo: ## sms-router at work, between a simulated SMSC and a few ESMEs
	@.ci/deps demo
	@$(call configure,release)
	@$(call build,release) --target sms-router smpp-bench
	@apps/router_demo.sh build/bin

http-demo: ## sms-router takes messages by HTTP, for a simulated SMSC; needs curl
	@.ci/deps demo
	@command -v curl >/dev/null || { echo 'nio: missing: curl' >&2; exit 1; }
	@$(call configure,demo)
	@$(call build,demo) --target sms-router smpp-bench
	@apps/http_demo.sh build/demo/bin

test: ## build and run all tests
	@.ci/deps test
	@$(call configure,release)
	@$(call build,release)
	@ctest --preset release

test-uring: ## the tests of `make test` once more, on io_uring, but those that would be the same
	@ctest --preset uring

consumers: ## programs of others, built from the installed library in many ways, at work
	@.ci/deps all
	@$(call configure,release)
	@$(call build,release) --target nio-all
	@python3 -B tests/consumer/consumers.py all . build cmake c++

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

# BENCH_ARGS='--anew --cells all --rounds 7' and the like: tests/bench/echo_bench.py --help lists
# them. The raw runs are kept in build/bench, and the page is made of all that are there.
bench: ## echo-server measured beside other libraries: writes docs/benchmarks/; takes long
	@.ci/deps bench
	@$(call configure,release)
	@$(call build,release) --target bench-programs
	@python3 -B tests/bench/echo_bench.py $(BENCH_ARGS)
	@python3 -B tests/bench/load_curve.py echo --write docs/benchmarks/load-echo.md \
	    --plot docs/benchmarks/load-echo.svg
	@build/bin/nio-bench --benchmark_out=build/bench/inside.json --benchmark_out_format=json
	@if test -x build/bin/handoff-bench; then \
	    build/bin/handoff-bench --json > build/bench/handoff.json-lines; fi
	@for run in 1 2 3; do build/bin/rebalance-bench | tail -1; done > build/bench/moves.json-lines
	@if command -v valgrind >/dev/null; then $(MAKE) --no-print-directory bench-instructions; fi
	@python3 -B tests/bench/bench_page.py

bench-instructions: ## user instructions and path of an echo, by callgrind; part of bench
	@.ci/deps bench
	@$(call configure,profile)
	@$(call build,profile) --target echo-server
	@$(call configure,debug)
	@$(call build,debug) --target echo-server
	@$(call configure,release)
	@$(call build,release) --target peer-epoll steady-echo
	@python3 -B tests/bench/instructions.py
	@NIO_SELECTOR=epoll python3 -B tests/steady/locked.py build/tests/steady/steady-echo --json \
	    > build/bench/locked.json-lines

bench-page: ## docs/benchmarks/echo-server.md anew from the raw runs that are there
	@python3 -B tests/bench/bench_page.py

bench-inside: ## only the benchmarks of the library's own steps
	@.ci/deps bench
	@$(call configure,release)
	@$(call build,release) --target bench

quick = build/bench-quick

bench-quick: ## whether make bench works, in a minute: its figures mean nothing
	@.ci/deps bench
	@$(call configure,release)
	@$(call build,release) --target bench-programs
	@rm -rf $(quick)
	@python3 -B tests/bench/echo_bench.py --quick --out $(quick)
	@python3 -B tests/bench/bench_check.py $(quick)
	@build/bin/nio-bench --benchmark_min_time=0.01 --benchmark_out=$(quick)/inside.json \
	    --benchmark_out_format=json >/dev/null
	@python3 -B tests/bench/bench_page.py --raw $(quick) --docs $(quick)/docs

# EXPERIMENT='--quick --docs' and the like: tests/bench/experiment.py --help lists them.
experiment: ## four threading models compared: measures, and writes a page with plots
	@.ci/deps demo
	@command -v python3 >/dev/null || { echo 'nio: missing: python3' >&2; exit 1; }
	@$(call configure,release)
	@$(call build,release) --target nio-all model-server
	@python3 -B tests/bench/experiment.py $(EXPERIMENT)

# BENCH='--repeats 5 --write docs/benchmarks/sms-router.md' and the like: router_bench.py --help lists them.
# CURVE='--shares 20 --moderation 0,350us' and the like: tests/bench/load_curve.py --help lists them.
router-bench: ## the SMPP router measured: messages per second, CPU per message, also below the maximum
	@.ci/deps demo
	@$(call configure,release)
	@$(call build,release) --target sms-router smpp-bench
	@python3 -B tests/bench/router_bench.py --bin build/bin $(BENCH)
	@python3 -B tests/bench/load_curve.py router --moderation 0,350us \
	    --write docs/benchmarks/load-router.md --plot docs/benchmarks/load-router.svg $(CURVE)

interop: ## the SMPP router with node-smpp, Kannel and tshark, which it installs
	@.ci/deps test
	@tests/interop/deps.sh build/interop
	@$(call configure,release)
	@$(call build,release) --target sms-router smpp-bench
	@python3 -B tests/interop/run.py all --bin build/bin --node build/interop

# HOSTILITY_ARGS='--only drains --drains 1000' and the like: hostility.py --help lists them.
hostility: ## echo-server under bad clients: measures, and writes docs/reliability/hostility.md
	@.ci/deps demo
	@command -v python3 >/dev/null || { echo 'nio: missing: python3' >&2; exit 1; }
	@$(call configure,release)
	@$(call build,release) --target nio-all
	@python3 -B tests/hostility/hostility.py $(HOSTILITY_ARGS)

# FUZZ_SECONDS=600 FUZZ_TARGETS='decoders smpp_pdu' and the like; without targets: all of them.
FUZZ_SECONDS ?= 60

fuzz: ## every fuzzer for FUZZ_SECONDS: one line each; tests/fuzz/log.json adds up
	@.ci/deps all
	@$(call configure,fuzz)
	@$(call build,fuzz) --target fuzz-programs
	@python3 -B tests/fuzz/fuzz.py run build/fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

mutants: ## put known defects into a copy of the library: a test must notice each
	@.ci/deps test
	@python3 -B tests/mutants/run.py

planted: ## put known defects into a copy of library and router: the simulation must find each
	@.ci/deps test
	@python3 -B tests/simulation/mutants.py

asan-gcc: ## simulations and torture under g++'s sanitizers: clang's would be simulated, too
	@.ci/deps test
	@$(call configure,asan-gcc)
	@$(call build,asan-gcc)
	@ctest --preset asan-gcc

# SOAK='--seeds 1-1000000' and the like: nio-simulation --help lists them.
SOAK ?= --seeds 1-1000000

soak: ## the long forms: simulations with a million seeds, both kernels compared, all that can fail
	@.ci/deps test
	@$(call configure,release)
	@$(call build,release) --target soak-programs
	@build/bin/nio-simulation $(SOAK)
	@if test -x build/bin/nio-uring-simulation; then build/bin/nio-uring-simulation $(SOAK); fi
	@build/bin/nio-invocation-simulation $(SOAK)
	@build/bin/nio-router-simulation $(SOAK)
	@build/bin/nio-load-simulation $(SOAK)
	@for buffers in '' tight; do \
	    python3 -B tests/simulation/differential/compare.py build/bin/kernel-script-simulated \
	        build/bin/kernel-script-real 1 50000 $$buffers || exit 1; done
	@build/bin/nio-torture
	@for selector in epoll uring poll; do \
	    python3 -B tests/torture/inject_echo_server.py build/bin --selector $$selector || exit 1; \
	    python3 -B tests/torture/inject_sms_router.py build/bin --selector $$selector || exit 1; done
	@build/bin/nio-model 2
	@$(MAKE) --no-print-directory planted mutants asan-gcc

# COVERAGE='--page docs/reliability/coverage.md' writes that page, too. The second run is there for
# io_uring's lines; what fails in it is the business of `make test-uring`.
coverage: ## lines and branches of lib/ that its own tests run: build/coverage/html; takes long
	@.ci/deps coverage
	@$(call configure,coverage)
	@$(call build,coverage)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage
	-@NIO_SELECTOR=uring ctest --preset coverage -R '^nio-tests'
	@mkdir -p build/coverage/html
	@gcovr -j $(JOBS) --gcov-executable "'$(CURDIR)/tests/coverage/gcov.py'" --filter lib/ \
	    --exclude-throw-branches --exclude-unreachable-branches \
	    --json build/coverage/coverage.json --html-details build/coverage/html/index.html \
	    build/coverage
	@python3 -B tests/coverage/report.py build/coverage/coverage.json $(COVERAGE)

# PLATFORMS='s390x' and the like: one preset each.
PLATFORMS ?= aarch64 i386 libcxx musl s390x

portability: ## the libraries and their pure tests on other platforms: writes docs/platforms.md
	@.ci/deps portability $(PLATFORMS)
	@python3 -B tests/portability/portability.py --docs docs/platforms.md --jobs $(JOBS) $(PLATFORMS)

install: ## install library, headers and programs under PREFIX (/usr/local)
	@.ci/deps demo
	@$(call configure,release)
	@$(call build,release) --target nio-all
	@cmake --install build --prefix '$(PREFIX)'

docs: ## reference of the headers and the guides, to be searched: build/docs/html/index.html
	@.ci/deps docs
	@rm -rf build/docs && mkdir -p build/docs
	@NIO_VERSION=$(version) doxygen .ci/reference/Doxyfile

# Only what is committed, with its date: the same bytes wherever and whenever it is made.
dist: ## the sources of the last commit: build/nio-VERSION.tar.gz
	@mkdir -p build
	@git archive --format=tar --prefix=nio-$(version)/ HEAD | gzip -9n > build/nio-$(version).tar.gz
	@sha256sum build/nio-$(version).tar.gz

# DEB_BUILD_OPTIONS='parallel=2 noopt' and the like, as dpkg-buildpackage(1) has them.
deb: ## Debian packages of the last commit, and lintian's word on them: build/deb/
	@.ci/deps packages
	@rm -rf build/deb && mkdir -p build/deb
	@git archive --prefix=nio-$(version)/ HEAD | tar -x -C build/deb
	@cp -r .ci/packages/debian build/deb/nio-$(version)/
	@cd build/deb/nio-$(version) && env -u MAKEFLAGS -u MAKELEVEL -u CMAKE_GENERATOR \
	    dpkg-buildpackage -us -uc
	@cd build/deb && lintian --allow-root --fail-on error,warning *.changes

deb-test: ## what `make deb` has made: install, upgrade, purge in a clean system (mmdebstrap)
	@.ci/deps packages
	@.ci/packages/try.sh build/deb

container-test: ## the Dockerfiles of docs/, built and run in a clean system (mmdebstrap); needs root
	@.ci/deps packages
	@.ci/packages/container.py docs/echo-server.dockerfile
	@.ci/packages/container.py docs/sms-router.dockerfile /etc/sms-router/router.toml=docs/router.toml

deps: ## install what is missing for the above; coverage, interop, portability and deb do so, too
	@.ci/deps all
	@.ci/deps bench
	@echo 'nio: nothing is missing'

clean: ## remove all that was built
	@rm -rf build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile
