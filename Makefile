# Retrograde: the front door.
# SPDX-License-Identifier: LGPL-2.1-or-later

SHELL := /bin/bash
BUILD := build
PLUGIN := $(BUILD)/gst-plugin/libgstretrograde.so
prefix ?= /usr
# Debian's own name of the folder where GStreamer looks for plugins
libdir ?= lib/$(shell gcc -print-multiarch 2>/dev/null)
# where zsh looks for completions: Debian has a folder of its own
zshdir ?= share/zsh/$(if $(filter /usr,$(prefix)),vendor-completions,site-functions)
FILE ?=
LONG ?=
TIME ?= 4

.PHONY: help build demo check check-valgrind damage soak lint quality \
  reverse-table tool docs install uninstall clean packages-demo packages-check \
  packages-lint

help:
	@echo "make demo [FILE=song.mp3]  set up, build, turn a file around and scale it, into demo/"
	@echo "make check                 set up, build, run every test"
	@echo "make check-valgrind        the plugin's C tests under valgrind"
	@echo "make damage                damaged files of every format through every mode: a table"
	@echo "make soak [TIME=4]         hours of audio, many pipelines, many cycles: every frame right, memory flat"
	@echo "make lint                  style, spelling, shell scripts, and what the elements say of themselves"
	@echo "make quality               tables and a picture: the plugin's resampling beside that of others"
	@echo "make reverse-table         every format backwards, beside stock GStreamer, in Markdown"
	@echo "make reverse-table LONG=1  four formats of up to three hours (takes 10 GB in build/)"
	@echo "make tool                  build/tool/retrograde, with its manual and completions"
	@echo "make docs                  the Swift library's pages: python3 -m http.server -d build/docs"
	@echo "make build                 build/gst-plugin/libgstretrograde.so"
	@echo "make install [prefix=/usr] [libdir=…] [DESTDIR=…], make uninstall"
	@echo "make clean"

build:
	@scripts/check-tools.sh
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) --prefix "$(prefix)" --libdir "$(libdir)"
	@ninja -C $(BUILD)

packages-demo:
	@scripts/need-packages.sh build demo

packages-check:
	@scripts/need-packages.sh build demo check lint

packages-lint:
	@scripts/need-packages.sh build lint

demo: packages-demo
	@$(MAKE) -s build
	@launch-examples/demo.sh $(if $(FILE),"$(FILE)")

check: packages-check
	@$(MAKE) -s build
	@Tests/run-all.sh

check-valgrind: packages-check
	@$(MAKE) -s build
	@meson test -C $(BUILD) --setup=valgrind --print-errorlogs

damage: packages-check
	@$(MAKE) -s build
	@scripts/damage.py --report $(BUILD)/damage.jsonl

soak: packages-check
	@$(MAKE) -s build
	@scripts/soak.sh $(TIME)

lint: packages-lint
	@$(MAKE) -s build
	@scripts/lint.sh

quality: packages-check
	@$(MAKE) -s build
	@scripts/quality.py

reverse-table: packages-check
	@$(MAKE) -s build
	@scripts/reverse-table.py $(if $(LONG),--long)

tool:
	@scripts/check-tools.sh
	@scripts/make-tool.sh

docs:
	@scripts/make-docs.sh

install: build tool
	@meson configure $(BUILD) --prefix "$(prefix)" --libdir "$(libdir)"
	@DESTDIR="$(DESTDIR)" meson install -C $(BUILD)
	@scripts/install-tool.sh install "$(DESTDIR)$(prefix)" "$(zshdir)"

uninstall:
	rm -f "$(DESTDIR)$(prefix)/$(libdir)/gstreamer-1.0/libgstretrograde.so"
	scripts/install-tool.sh uninstall "$(DESTDIR)$(prefix)" "$(zshdir)"

clean:
	rm -rf $(BUILD) .build demo out
