# memento: build it, see it work, test it, install it.

PREFIX = /usr/local
DESTDIR =

# What others build with this package as a dependency does not fail over a warning of a newer compiler.
export WARNINGS_AS_ERRORS = 1

BINARY = .build/release/memento
# For remotes in buckets. `make s3` builds it, and `make install` installs it when it is there.
BUCKET_HELPER = .build/release/memento-remote-s3
# A first build of the program alone fetches nothing that only the helper needs.
CORE = $(if $(wildcard .build/checkouts/async-http-client),,MEMENTO_WITHOUT_BUCKETS=1)
MAN_PAGES = $(wildcard man/*.1 man/*.5)
COMPLETIONS = completions/memento.bash completions/_memento completions/memento.fish

bindir = $(DESTDIR)$(PREFIX)/bin
libexecdir = $(DESTDIR)$(PREFIX)/libexec/memento
mandir = $(DESTDIR)$(PREFIX)/share/man
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fishdir = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

.PHONY: build s3 demo readme test faults fuzz mutants examples docs lint bench install uninstall deb dist release clean deps help

build:
	@Tools/install-dependencies build
	@Tools/quietly "Building memento" env $(CORE) Tools/build-release --product memento
	@echo "The program: $(BINARY)"

s3:
	@Tools/install-dependencies build
	@Tools/quietly "Building the helper of buckets" Tools/build-release --product memento-remote-s3
	@echo "The helper: $(BUCKET_HELPER)"

demo: build
	@Tools/demo $(BINARY)

# The transcripts in README.md, made again. `make test` looks whether they are as the program says.
readme: build
	@Tools/readme $(BINARY)

test:
	@Tools/install-dependencies build test
	@Tools/quietly "Building the tests" swift build --build-tests
	@Tools/run-tests
	@Tools/run-examples
	@$(MAKE) --no-print-directory docs

# Hours; goes on where it was stopped. ARGS="--only save --seconds 600" for a part of it.
faults: build
	@Tools/install-dependencies test
	@Tests/Faults/run --log .build/faults.log $(ARGS)

# A minute for each decoder. ARGS="600 refs pack" for ten minutes of these two.
fuzz:
	@Tools/install-dependencies build
	@Tools/fuzz $(ARGS)

# Hours; goes on where it was stopped. ARGS="--only flush --seconds 600" for a part of it.
mutants:
	@Tools/install-dependencies build test
	@Tests/Mutants/run $(ARGS)

examples:
	@Tools/install-dependencies build
	@Tools/run-examples

docs:
	@Tools/install-dependencies build
	@Tools/quietly "Building the documentation" swift package --allow-writing-to-directory .build/documentation \
	  generate-documentation --target MementoKit --warnings-as-errors --output-path .build/documentation
	@Tools/quietly "Building the documentation of the pattern" swift package \
	  --allow-writing-to-directory .build/documentation-pattern generate-documentation --target MementoPattern \
	  --warnings-as-errors --output-path .build/documentation-pattern
	@Tools/quietly "Building the documentation of the model" swift package \
	  --allow-writing-to-directory .build/documentation-model generate-documentation --target MementoModel \
	  --warnings-as-errors --output-path .build/documentation-model
	@echo "The documentation: .build/documentation"

lint:
	@Tools/install-dependencies lint
	@Tools/lint

bench: build
	@Tools/install-dependencies bench
	@Tools/quietly "Building the benchmarks" Tools/build-release --product memento-bench
ifdef AGAINST
	@Benchmarks/compare $(AGAINST) $(BINARY) $(ARGS)
else
	@Benchmarks/run $(ARGS)
	@Benchmarks/values
	@Benchmarks/search
	@Benchmarks/archives
	@echo "Remotes, over S3 and SSH, are measured by Benchmarks/remotes (make build s3 first)."
endif

# Builds only what is missing, so that "sudo make install" after "make build" compiles nothing as root.
install: $(BINARY) $(COMPLETIONS)
	install -d "$(bindir)" "$(bashdir)" "$(zshdir)" "$(fishdir)"
	install -m 755 $(BINARY) "$(bindir)/memento"
	@if [ -x $(BUCKET_HELPER) ]; then \
	  echo "install -m 755 $(BUCKET_HELPER) $(libexecdir)/memento-remote-s3"; \
	  install -d "$(libexecdir)" && install -m 755 $(BUCKET_HELPER) "$(libexecdir)/memento-remote-s3"; \
	fi
	@for page in $(MAN_PAGES); do \
	  section="$(mandir)/man$${page##*.}"; \
	  echo "install -m 644 $$page $$section/"; \
	  install -d "$$section" && install -m 644 "$$page" "$$section/" || exit 1; \
	done
	install -m 644 completions/memento.bash "$(bashdir)/memento"
	install -m 644 completions/_memento "$(zshdir)/_memento"
	install -m 644 completions/memento.fish "$(fishdir)/memento.fish"

uninstall:
	rm -f "$(bindir)/memento" "$(libexecdir)/memento-remote-s3" "$(bashdir)/memento" "$(zshdir)/_memento" "$(fishdir)/memento.fish"
	@for page in $(notdir $(MAN_PAGES)); do \
	  echo "rm -f $(mandir)/man$${page##*.}/$$page"; \
	  rm -f "$(mandir)/man$${page##*.}/$$page"; \
	done

# Debian packages, of the helper, too, where `make s3` has built it.
deb: build
	@Tools/install-dependencies deb
	@Tools/deb
	@if command -v lintian >/dev/null 2>&1; then \
	  Tools/quietly "Checking the packages" lintian --fail-on error,warning .build/dist/*.deb; \
	fi
	@Tools/checksums .build/dist

# A tarball that runs where it is unpacked. ARCH=aarch64 SDK=NAME compiles for another processor.
dist:
	@Tools/install-dependencies deb
	@ARCH="$(ARCH)" SDK="$(SDK)" Tools/build-for
	@BUILD=$$(ARCH="$(ARCH)" Tools/build-for --folder) ARCH="$(ARCH)" Tools/dist

# All checks and all packages of a release; ARGS=--dry-run says what it would do. It neither tags nor publishes.
release:
	@Tools/release $(ARGS) $(or $(VERSION),$$(Tools/version))

clean:
	rm -rf .build

# All that building, testing, linting and measuring want from the system.
deps:
	@Tools/install-dependencies build test lint bench deb

help:
	@echo "make build      the release program, $(BINARY)"
	@echo "make s3         the helper for remotes in buckets, $(BUCKET_HELPER)"
	@echo "make demo       save, change and restore a real folder, and compare"
	@echo "make readme     put what the program says into the transcripts of README.md"
	@echo "make test       build and run all tests, the examples and the documentation"
	@echo "make faults     make every system call of every command fail; hours, goes on where it was stopped"
	@echo "make fuzz       let the fuzzer look for bytes that a decoder does not survive"
	@echo "make mutants    take out each flush, lock and check in turn: some test must fail; hours, goes on where it was stopped"
	@echo "make examples   build and run the programs of Examples/, which use the library"
	@echo "make docs       the documentation of the library"
	@echo "make lint       format, man pages, scripts, file sizes"
	@echo "make bench      compare with git, restic, borg, cp and tar; ARGS=--quick for a short run"
	@echo "                AGAINST=PROGRAM compares with another build instead, in interleaved pairs"
	@echo "                Benchmarks/remotes compares push and restore over S3 and SSH with restic and borg"
	@echo "make install    to PREFIX ($(PREFIX)), below DESTDIR if set; make uninstall takes it back"
	@echo "make deb        Debian packages, in .build/dist"
	@echo "make dist       a tarball of the static program that runs anywhere, its bill of materials, and the sources"
	@echo "                ARCH=aarch64 SDK=NAME with a Swift SDK for that processor"
	@echo "make release    all checks, then all packages; ARGS=--dry-run says what it would do (docs/releasing.md)"
	@echo "make deps       install the packages that the targets above need"
	@echo "make clean      remove what was built"

$(BINARY):
	@$(MAKE) build

completions/memento.bash: | $(BINARY)
	@mkdir -p completions
	$(BINARY) --generate-completion-script bash > $@

completions/_memento: | $(BINARY)
	@mkdir -p completions
	$(BINARY) --generate-completion-script zsh > $@

completions/memento.fish: | $(BINARY)
	@mkdir -p completions
	$(BINARY) --generate-completion-script fish > $@

.DELETE_ON_ERROR:
