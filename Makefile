# Retrograde: the front door.
# SPDX-License-Identifier: LGPL-2.1-or-later

SHELL := /bin/bash
BUILD := build
PLUGIN := $(BUILD)/gst-plugin/libgstretrograde.so
# PREFIX is accepted on the command line, too; in the environment it may mean something else
prefix ?= $(if $(filter command line,$(origin PREFIX)),$(PREFIX),/usr)
# the folder, below prefix, of GStreamer's libraries and plugins on Debian
libdir ?= lib/$(shell gcc -print-multiarch 2>/dev/null)
# where zsh looks for completions; below /usr, Debian has a folder of its own
zshdir ?= share/zsh/$(if $(filter /usr,$(prefix)),vendor-completions,site-functions)
FILE ?=
LONG ?=
# seconds for each fuzzer
TIME ?= 600
# hours of audio in the soak test
HOURS ?= 4
PARTS ?=
QUICK ?=

.PHONY: help build demo check check-all mutants check-valgrind check-asan check-tsan fuzz \
  fuzz-coverage damage soak lint quality reverse-table formats-page conversion-table bench tool \
  docs web pictures install uninstall deb dist check-packages check-reproducible build-aarch64 \
  check-aarch64 clean packages-demo packages-tool packages-check packages-check-all packages-lint \
  packages-bench packages-docs packages-quality packages-web packages-sounds site-sounds

help:
	@echo "make demo [FILE=song.mp3]  set up, build, reverse and stretch a file, into demo/"
	@echo "make check [PARTS=…]       set up, build, run the tests that every change has to pass, in ten minutes"
	@echo "make check-all [PARTS=…]   run all tests, also those that take long: before a release, or after a large change"
	@echo "make mutants [PARTS=…]     put small faults into a copy, and see that the tests find them"
	@echo "make check-valgrind        the plugin's C tests under valgrind"
	@echo "make damage                a table: damaged files of every format, played in every mode"
	@echo "make soak [HOURS=4]        hours of audio in many pipelines: every frame must be right, memory constant"
	@echo "make lint                  style, spelling, shell scripts, and the description of the elements"
	@echo "make check-asan, check-tsan  … under AddressSanitizer, UndefinedBehaviorSanitizer and"
	@echo "                           LeakSanitizer, or under ThreadSanitizer"
	@echo "make fuzz [TIME=600]       hostile input for the C interface and the elements, in seconds"
	@echo "make fuzz-coverage         which code the fuzzers reach"
	@echo "make quality [PARTS=…]     tables and pictures of the sound: resampling, and stretching with the pitch"
	@echo "                           kept, compared with other programs (some hours): resampling stretching levels moving speed evenness pictures"
	@echo "make reverse-table         a table in Markdown: every format backwards, compared with stock GStreamer"
	@echo "make formats-page          the table of docs/formats.md from the same runs"
	@echo "make conversion-table      the table of docs/formats.md of every input of the tool into every output"
	@echo "make reverse-table LONG=1  four formats of up to three hours (takes 10 GB in build/)"
	@echo "make bench [PARTS=…]       speed and memory, compared with other programs: measure/bench/results.md (25 min, 15 GB)"
	@echo "                           PARTS: kernels elements files scaling growth; QUICK=1: all of them, briefly"
	@echo "make tool                  build/tool/retrograde, with its manual and completions"
	@echo "make pictures              draw the pictures of README and docs again"
	@echo "make web                   the player for a browser: python3 -m http.server -d build/web"
	@echo "make site-sounds           make the page \"Before and after\" again: its sounds, pictures and text, in web/sounds"
	@echo "make docs                  all pages as one site: python3 -m http.server -d build/docs"
	@echo "                           (scripts/site.conf has the addresses that it links to)"
	@echo "make build                 build/gst-plugin/libgstretrograde.so"
	@echo "make install [prefix=/usr] [libdir=…] [DESTDIR=…], make uninstall"
	@echo "make deb                   Debian packages, into build/packages"
	@echo "make dist                  … and archives of the sources, of what is built and of build/web, with SHA-256 sums"
	@echo "make check-packages        install, test and purge the packages in a bare Debian 12, and build the sources offline"
	@echo "make check-reproducible    build all of that twice, in different folders, and compare the bits"
	@echo "make build-aarch64         plugin and tool for aarch64 (make deb and dist include them), make check-aarch64"
	@echo "make clean"

build:
	@scripts/check-tools.sh
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) --prefix "$(prefix)" --libdir "$(libdir)"
	@ninja -C $(BUILD) programs

packages-demo:
	@scripts/check-tools.sh swift
	@scripts/need-packages.sh build demo

packages-check:
	@scripts/check-tools.sh swift
	@scripts/need-packages.sh build tool demo check lint web

packages-check-all: packages-check
	@scripts/need-packages.sh check-all docs deb sounds
	@scripts/need-peers.sh

packages-lint:
	@scripts/need-packages.sh build lint

demo: packages-demo
	@[ -f $(BUILD)/gst-plugin/libgstretrograde.so ] || \
	  echo "Building the plugin; the signal processing takes a minute or two, without a line of progress …"
	@$(MAKE) -s build
	@launch-examples/demo.sh $(if $(FILE),"$(FILE)")

check: packages-check
	@Tests/run-all.sh $(PARTS)

check-all: packages-check-all
	@Tests/run-all.sh --all $(PARTS)

mutants: packages-check
	@Tests/mutants/run.py $(PARTS)

check-valgrind: packages-check-all
	@$(MAKE) -s build
	@meson test -C $(BUILD) --setup=valgrind --print-errorlogs

damage: packages-check-all
	@$(MAKE) -s build
	@scripts/damage.py --report $(BUILD)/damage.jsonl

soak: packages-check-all
	@$(MAKE) -s build
	@scripts/soak.sh $(HOURS)

lint: packages-lint
	@$(MAKE) -s build
	@scripts/lint.sh

check-asan: packages-check-all
	@scripts/sanitize.sh asan address,undefined

check-tsan: packages-check-all
	@scripts/sanitize.sh tsan thread

fuzz: packages-check-all
	@Tests/fuzz/fuzz.sh $(TIME)

fuzz-coverage: packages-check-all
	@Tests/fuzz/coverage.sh

packages-quality:
	@scripts/need-packages.sh build demo quality

quality: packages-quality
	@$(MAKE) -s build
	@scripts/need-peers.sh
	@for part in $(or $(PARTS),resampling stretching levels moving speed evenness pictures); do \
	  "measure/quality/$$part.py" || exit 1; done

reverse-table: packages-check-all
	@$(MAKE) -s build
	@measure/reverse-table/reverse_table.py $(if $(LONG),--long)

formats-page: packages-check-all
	@$(MAKE) -s build
	@measure/reverse-table/reverse_table.py --page --seconds=10

packages-bench:
	@scripts/need-packages.sh build demo bench

bench: packages-bench
	@$(MAKE) -s build
	@[ -x $(BUILD)/measure/bench/bench_kernels ] || meson setup --reconfigure $(BUILD) -Dbench=true >/dev/null
	@ninja -C $(BUILD)
	@measure/bench/bench.py $(if $(QUICK),--quick) $(PARTS)

conversion-table: packages-check-all
	@$(MAKE) -s build
	@scripts/conversion-table.py

# the pictures of README and docs; some compare with the programs of need-peers.sh
pictures: packages-quality packages-check-all
	@$(MAKE) -s build tool
	@scripts/need-peers.sh
	@for name in waveforms diagrams growth spectrograms sndr screen window; do "docs/draw/$$name.py" || exit 1; done
	@measure/quality/pictures.py docs/pictures

packages-tool:
	@scripts/check-tools.sh swift
	@! command -v dpkg-query > /dev/null || scripts/need-packages.sh build tool

tool: packages-tool
	@scripts/check-tools.sh
	@scripts/make-tool.sh

packages-web:
	@scripts/need-packages.sh web

web: packages-web
	@scripts/make-web.sh

packages-docs:
	@scripts/need-packages.sh docs web

packages-sounds:
	@scripts/need-packages.sh build demo sounds

site-sounds: packages-sounds
	@$(MAKE) -s build
	@scripts/need-peers.sh
	@measure/quality/sounds.py

docs: packages-docs
	@scripts/make-docs.sh

install: build tool
	@meson setup --reconfigure $(BUILD) --prefix "$(prefix)" --libdir "$(libdir)" >/dev/null
	@DESTDIR="$(DESTDIR)" meson install -C $(BUILD) --no-rebuild --strip --quiet
	@scripts/install-tool.sh install "$(DESTDIR)$(prefix)" "$(zshdir)" "$(libdir)/gstreamer-1.0"

uninstall:
	rm -f "$(DESTDIR)$(prefix)/$(libdir)/gstreamer-1.0/libgstretrograde.so"
	scripts/install-tool.sh uninstall "$(DESTDIR)$(prefix)" "$(zshdir)"

packages-deb: packages-tool
	@scripts/need-packages.sh build deb

packages-aarch64:
	@scripts/need-packages.sh build deb aarch64

deb: packages-deb
	@packaging/make-deb.sh

dist: deb packages-web
	@packaging/make-dist.sh

check-packages: packages-check-all packages-deb packages-web
	@packaging/make-deb.sh
	@packaging/make-dist.sh
	@packaging/check-packages.sh

check-reproducible: packages-deb packages-web
	@packaging/check-reproducible.sh

build-aarch64: packages-aarch64
	@packaging/build-aarch64.sh

check-aarch64: build-aarch64 build tool
	@packaging/check-aarch64.sh

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-coverage $(BUILD)-aarch64 .build demo out
