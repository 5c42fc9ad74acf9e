#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs all tests of a built tree. The last line of the output is `N passed, N failed`. If one part
# fails, the other parts are run, too.
set -u
cd "$(dirname "$0")/.." || exit 1

results=build/test-results
rm -rf "$results"
mkdir -p "$results"

# For each part of the tests, this format prints how long the part took, and how much processor time
# it used.
TIMEFORMAT='%0R s, %0U s of a processor'

part() { # NAME, COMMAND …
  local name=$1 status report
  shift
  echo "== $name"
  report=$({ time "$@" > "$results/$name.log" 2>&1; } 2>&1)
  status=$?
  echo "$status" > "$results/$name.status"
  report="-- $name: $report"
  if [ "$status" -ne 0 ]; then
    report="$(tail -n 60 "$results/$name.log")
$report, failed (status $status); all of it is in $results/$name.log"
  fi
  echo "$report"
}

# The Swift tests run optimised code, as in the plugin.
export RETROGRADE_FAST_CORE=1

# The Swift tests of a package run one after another, because some play in real time. They are not
# run by `swift test`, because `swift test` would lock .build until all tests are done.
swift_tests() {
  swift build --build-tests &&
    "$(swift build --show-bin-path)/RetrogradePackageTests.xctest" --testing-library swift-testing \
      --no-parallel --xunit-output "$results/swift.xml"
}

swift_package() {
  part swift swift_tests
}

# These tests of the tool first build and install.
builds=(Tests/tool/test_{install,package,timedsp}.py)

# Runs all tests that write to the build folder.
plugin() {
  part plugin meson test -C build --suite plugin --print-errorlogs
  part valgrind meson test -C build --suite plugin --no-suite slow --no-suite native --setup valgrind --print-errorlogs
  pytest builds "${builds[@]}"
}

pytest() { # NAME of the part, its FILES or folder …
  local name=$1
  shift
  # A process that was started by nohup, or in the background, ignores some of the signals that the
  # tests send. `env` resets these signals.
  part "$name" env --default-signal=INT,HUP /usr/bin/python3 -m pytest -q "$@" --junitxml "$results/$name.xml"
}

tool() {
  pytest tool Tests/tool "${builds[@]/#/--ignore=}"
}

examples() {
  pytest examples Tests/examples
}

fuzz() {
  part fuzz nice Tests/fuzz/fuzz.sh --tap "$results/fuzz.tap" --repeatable 60
}

short_parts() {
  part docs scripts/make-docs.sh
  pytest web Tests/web
  part 32-bit Tests/fuzz/check-32-bit.sh
  pytest measure Tests/measure
  # lint needs git to list the files, so it is skipped in a source archive
  [ ! -e .git ] || part lint scripts/lint.sh
}

# Each part is a process group, so that Ctrl-C ends all of its processes.
set -m
trap 'trap - INT TERM; jobs -p | xargs -I {} kill -- -{}; exit 130' INT TERM

# The longest parts begin first. The number of parts that run at the same time is one more than the
# number of cores, because many tests wait while something plays in real time.
for parts in swift_package tool examples plugin fuzz short_parts; do
  [ "$(jobs -rp | wc -l)" -le "$(nproc)" ] || wait -n
  "$parts" &
done
wait

exec /usr/bin/python3 Tests/totals.py "$results" build/Tests/plugin
