#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The pages of the Swift library, in build/docs. Symbols without a comment,
# links that lead nowhere and everything else that docc warns of are errors.
set -eu
cd "$(dirname "$0")/.."

graphs=build/symbol-graphs
rm -rf "$graphs"
mkdir -p "$graphs"

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
  --warnings-as-errors --transform-for-static-hosting --output-dir build/docs
