#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs every test of a built tree and ends in `N passed, N failed`. One part
# that fails does not keep the others from running.
set -u
cd "$(dirname "$0")/.." || exit 1

results=build/test-results
rm -rf "$results"
mkdir -p "$results"

part() { # NAME, COMMAND …
  local name=$1
  shift
  echo "== $name"
  "$@" > "$results/$name.log" 2>&1
  local status=$?
  echo "$status" > "$results/$name.status"
  if [ "$status" -ne 0 ]; then
    tail -n 60 "$results/$name.log"
    echo "-- $name failed (status $status); all of it is in $results/$name.log"
  fi
}

# asks git for the files: a source archive goes without
[ ! -e .git ] || part lint scripts/lint.sh
# one after the other: some play in real time
part swift swift test --no-parallel --xunit-output "$results/swift.xml"
part docs scripts/make-docs.sh
part plugin meson test -C build --suite plugin --print-errorlogs
part valgrind meson test -C build --suite plugin --no-suite slow --setup valgrind --print-errorlogs
part examples /usr/bin/python3 -m pytest -q Tests/examples --junitxml "$results/examples.xml"
part tool /usr/bin/python3 -m pytest -q Tests/tool --junitxml "$results/tool.xml"

exec /usr/bin/python3 Tests/totals.py "$results" build/Tests/plugin
