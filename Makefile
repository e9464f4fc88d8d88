# Thin: what needs more than a line is in scripts/. `make help` lists the targets.
BUILD ?= build
PREFIX ?= /usr/local
# Not every shell does that behind a sign of equality.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
export BUILD

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all build deps demo papers check test fuzz lint format bench install clean help
all: build

help:
	@echo 'make                   install what is missing, build $(BUILD)/invar and its report page'
	@echo 'make demo              compare the MPI libraries of this machine (at most 3 minutes after the build)'
	@echo 'make demo LIBRARIES=all   first installs Open MPI 5, MPICH 5 and Intel MPI from PyPI (160 MB, Intel'"'"'s licence)'
	@echo 'make papers            every figure of the papers by the commands of docs/papers.md (50 minutes after the build)'
	@echo 'make check             build and run every test; the last line counts them'
	@echo 'make test              unit tests and transcripts only (one minute)'
	@echo 'make fuzz FUZZ_S=600   run the fuzz targets of the readers, 600 s each'
	@echo 'make lint              clang-format and clang-tidy on everything'
	@echo 'make format            lay out every file with clang-format'
	@echo 'make bench             benchmarks of Invar itself'
	@echo 'make install PREFIX=   bin/invar, the engine sources, campaigns, the page, readers for R and Python'
	@echo 'make clean             remove the build directories'
	@echo 'SKIP_DEPS=1 leaves packages alone; BUILD=DIR builds elsewhere'

deps:
	@scripts/install-deps build

build: deps
	@scripts/build invar

demo:
	@scripts/install-deps build demo $(if $(filter all,$(LIBRARIES)),wheels)
	@scripts/build invar
	@LIBRARIES='$(LIBRARIES)' scripts/demo

papers:
	@scripts/install-deps build papers
	@scripts/build invar
	@scripts/papers

check:
	@scripts/install-deps build check lint
	@scripts/check

test:
	@scripts/install-deps build check
	@scripts/build all
	@ctest --test-dir $(BUILD) --no-tests=error --output-on-failure -LE 'mpi|slow' -j $(CMAKE_BUILD_PARALLEL_LEVEL)

fuzz:
	@scripts/install-deps build check
	@scripts/fuzz $(or $(FUZZ_S),60)

lint:
	@scripts/install-deps build lint
	@scripts/lint

format:
	@scripts/install-deps lint
	@git ls-files -co --exclude-standard '*.cpp' '*.hpp' | xargs clang-format-14 -i

bench:
	@scripts/install-deps build bench
	@scripts/build bench_analysis -DINVAR_BENCH=ON
	@scripts/build bench_sizes -DINVAR_BENCH=ON
	@scripts/build invar
	@INVAR_HOME=$(BUILD)/invar-home python3 -B bench/run.py $(BUILD)

install: build
	@cmake --install $(BUILD) --prefix '$(PREFIX)'

clean:
	rm -rf $(BUILD) build-debug build-asan build-clang build-clang-asan build-gcc11 build-aarch64 build-lint build-fuzz
