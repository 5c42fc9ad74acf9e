#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes the web site in build/docs: the pages, the descriptions of the elements and, in the
# folders `library` and `timedsp`, the references of the Swift library and of TimeDSP. All
# warnings of docc, such as broken links, and symbols without a comment are errors.
set -eu
cd "$(dirname "$0")/.."

graphs=build/symbol-graphs
rm -rf "$graphs" build/docs
mkdir -p "$graphs" build/docs
scripts/make-web.sh build/docs/hear

if ! command -v docc > /dev/null; then
  echo "There is no docc in PATH: the site is built without the reference of the Swift libraries." >&2
  exec scripts/make-site.py
fi

swift build --target Retrograde --quiet
swift build --target TimeDSP --quiet
modules=$(swift build --show-bin-path)/Modules

# extract MODULE FOLDER OPTION …: writes the symbols of a module into FOLDER. The options
# are for the compiler, to find the module's imports.
extract() {
  local module=$1 folder=$2
  shift 2
  mkdir -p "$folder"
  swift symbolgraph-extract -module-name "$module" -minimum-access-level public \
    -skip-inherited-docs -I "$modules" "$@" -experimental-allowed-reexported-modules=AudioModel \
    -target "$(uname -m)-unknown-linux-gnu" -output-dir "$folder"
  # without the extensions of types from other modules, which are internal
  rm -f "$folder/$module"@*.symbols.json
  scripts/check-symbols.py "$folder/$module"*.symbols.json
}

# convert MODULE ARTICLES FOLDER OPTION …: makes the pages of a module from its articles and
# the symbols in FOLDER. The options are for docc.
convert() {
  local module=$1 articles=$2 folder=$3
  shift 3
  docc convert "$articles" --additional-symbol-graph-dir "$folder" \
    --fallback-display-name "$module" --fallback-bundle-identifier "retrograde.$module" \
    --warnings-as-errors --transform-for-static-hosting "$@"
}

includes=$(pkg-config --cflags-only-I gstreamer-1.0 | sed 's/-I/-Xcc -I/g')
# shellcheck disable=SC2086  # one word for each include
extract Retrograde "$graphs/library" -I Sources/CGStreamer/include -I Sources/CGLib $includes
convert Retrograde Sources/Retrograde/Retrograde.docc "$graphs/library" \
  --hosting-base-path library --output-dir build/docs/library

extract TimeDSP "$graphs/timedsp" -I Sources/CTimeDSP/include
convert TimeDSP Sources/TimeDSP/API/TimeDSP.docc "$graphs/timedsp" \
  --hosting-base-path timedsp --output-dir build/docs/timedsp
scripts/relocate-docc.py build/docs/library build/docs/timedsp
scripts/make-site.py
