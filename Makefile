# Coexist: set-up, tests and installation. `make help` lists the targets.

SHELL = /bin/bash
.SHELLFLAGS = -euo pipefail -c
.DEFAULT_GOAL = help

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
CONFIG ?= config.example.json

bindir = $(PREFIX)/bin
libdir = $(PREFIX)/lib
docdir = $(PREFIX)/share/doc/coexistd
release = .build/release
# With the Swift runtime inside, the binaries run where there is no toolchain.
flags = -c release --static-swift-stdlib
# How long `make soak` and `make fuzz` go on in all, and what they are told: make fuzz TARGET="json predicate"
SECONDS ?= 300
TARGET ?=
SOAK ?=
# What `make fuzz` reads with.
fuzz = COEXIST_FUZZ=1 $(SWIFT) build -c release --scratch-path .build/fuzz --product coexist-fuzz
fuzzer = .build/fuzz/release/coexist-fuzz
fuzzed = .run/fuzz

.PHONY: help run build test bench soak fuzz fuzz-seeds lint install clean packages sample check-units

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: build sample ## build, make a sample store where there is none, and start coexistd in the foreground
	@Documentation/Example/first-commands $(CONFIG)
	@exec $(release)/coexistd --config $(CONFIG)

build: packages ## build coexistd and coexistctl in release mode
	$(SWIFT) build $(flags) --product coexistd
	$(SWIFT) build $(flags) --product coexistctl

test: packages ## build everything and run every test; COEXIST_* variables are passed on
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --no-parallel

bench: packages ## run the measurements in release mode
	$(SWIFT) run $(flags) coexist-bench

fuzz: packages ## let libFuzzer look for inputs that readers fail at: SECONDS= in all, TARGET= some of `coexist-fuzz list`
	$(fuzz)
	@.ci/fuzz $(fuzzer) $(fuzzed) $(SECONDS) $(TARGET)

fuzz-seeds: # the seeds in Tests/FuzzTests/Corpus anew, after what they are made from has changed
	$(SWIFT) run coexist-fuzz seeds Tests/FuzzTests/Corpus

soak: packages ## writers of both stacks, handovers, kills and purges for SECONDS=, then every check
	$(SWIFT) run $(flags) coexist-soak --seconds $(SECONDS) $(SOAK)

lint: ## check the format of every Swift file
	$(SWIFT) format lint --strict --recursive Sources Tests Package.swift

install: build ## install binaries, units and their users below DESTDIR and PREFIX
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/systemd/system $(DESTDIR)$(libdir)/sysusers.d \
	    $(DESTDIR)$(libdir)/tmpfiles.d $(DESTDIR)$(docdir)
	install -m 755 $(release)/coexistd $(release)/coexistctl $(DESTDIR)$(bindir)
	sed 's|/usr/local/bin|$(bindir)|' systemd/coexistd.service > $(DESTDIR)$(libdir)/systemd/system/coexistd.service
	chmod 644 $(DESTDIR)$(libdir)/systemd/system/coexistd.service
	install -m 644 systemd/coexistd.socket $(DESTDIR)$(libdir)/systemd/system
	install -m 644 systemd/sysusers.conf $(DESTDIR)$(libdir)/sysusers.d/coexistd.conf
	install -m 644 systemd/tmpfiles.conf $(DESTDIR)$(libdir)/tmpfiles.d/coexistd.conf
	install -m 644 systemd/config.json README.md LICENSE $(DESTDIR)$(docdir)

clean: ## remove what was built; the sample store in .run stays
	$(SWIFT) package clean
	rm -rf .build/fuzz

packages: # the Debian packages that the build needs, where they are missing
	@.ci/install-packages

sample: build # the sample store that the example configuration names
	@Documentation/Example/make-sample $(CONFIG)

check-units: # the units, as systemd itself reads them
	@.ci/check-units
