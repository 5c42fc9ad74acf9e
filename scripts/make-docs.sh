#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The site in build/docs: the pages, the elements, and in its folder library the reference of
# the Swift library. Symbols without a comment, links that lead nowhere and everything
# else that docc warns of are errors.
set -eu
cd "$(dirname "$0")/.."

graphs=build/symbol-graphs
rm -rf "$graphs" build/docs
mkdir -p "$graphs" build/docs

if ! command -v docc > /dev/null; then
  echo "There is no docc in PATH: the site goes without the reference of the Swift library." >&2
  exec scripts/make-site.py
fi

swift build --target Retrograde --quiet
modules=$(swift build --show-bin-path)/Modules
includes=$(pkg-config --cflags-only-I gstreamer-1.0 | sed 's/-I/-Xcc -I/g')
# shellcheck disable=SC2086  # each of the includes is a word
swift symbolgraph-extract -module-name Retrograde -minimum-access-level public \
  -skip-inherited-docs -I "$modules" -I Sources/CGStreamer/include -I Sources/CGLib $includes \
  -target "$(uname -m)-unknown-linux-gnu" -output-dir "$graphs"
# what the library adds to types of others is not shown: it is not for others
rm -f "$graphs"/Retrograde@*.symbols.json
scripts/check-symbols.py "$graphs"/Retrograde*.symbols.json

docc convert Sources/Retrograde/Retrograde.docc --additional-symbol-graph-dir "$graphs" \
  --fallback-display-name Retrograde --fallback-bundle-identifier retrograde.Retrograde \
  --warnings-as-errors --transform-for-static-hosting --hosting-base-path library \
  --output-dir build/docs/library
scripts/make-site.py
