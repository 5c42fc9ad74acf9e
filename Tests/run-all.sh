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
  local name=$1 start=$SECONDS status report
  shift
  echo "== $name"
  "$@" > "$results/$name.log" 2>&1
  status=$?
  echo "$status" > "$results/$name.status"
  report="-- $name: $((SECONDS - start)) s"
  if [ "$status" -ne 0 ]; then
    report="$(tail -n 60 "$results/$name.log")
$report, failed (status $status); all of it is in $results/$name.log"
  fi
  echo "$report"
}

# Two parts run side by side, one for each core, where neither writes into the
# build folder of the other: swift and docs into .build, plugin and valgrind into
# build, the fuzzers into build-fuzz. The tool's tests install from all of them.
swift_package() {
  # its tests one after the other: some play in real time
  part swift swift test --no-parallel --xunit-output "$results/swift.xml"
  part docs scripts/make-docs.sh
}

plugin() {
  # takes what is left, at first by the build of swift, so that nobody waits for it
  part fuzz nice Tests/fuzz/fuzz.sh --tap "$results/fuzz.tap" --repeatable 60
  part plugin meson test -C build --suite plugin --print-errorlogs
  part valgrind meson test -C build --suite plugin --no-suite slow --no-suite native --setup valgrind --print-errorlogs
  # asks git for the files: a source archive goes without
  [ ! -e .git ] || part lint scripts/lint.sh
}

pytest() { # NAME of the part and of its folder in Tests
  # what is begun by nohup, or beside others, ignores what some tests send
  part "$1" env --default-signal=INT,HUP /usr/bin/python3 -m pytest -q "Tests/$1" --junitxml "$results/$1.xml"
}

examples_and_measures() {
  pytest examples
  pytest measure
}

side_by_side() { # TWO COMMANDS of a word or two
  $1 &
  $2 &
  wait
}

# each is a process group of its own, which a Ctrl-C ends as a whole
set -m
trap 'trap - INT TERM; jobs -p | xargs -I {} kill -- -{}; exit 130' INT TERM
side_by_side swift_package plugin
side_by_side "pytest tool" examples_and_measures

exec /usr/bin/python3 Tests/totals.py "$results" build/Tests/plugin
