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

# of a part: how long it took, and how much of a processor
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

# what the Swift tests compute with is optimised, as it is in the plugin
export RETROGRADE_FAST_CORE=1

# Its tests run one after the other: some play in real time. They are not run by `swift test`,
# which would keep everybody else out of .build until they are done.
swift_tests() {
  swift build --build-tests &&
    "$(swift build --show-bin-path)/RetrogradePackageTests.xctest" --testing-library swift-testing \
      --no-parallel --xunit-output "$results/swift.xml"
}

swift_package() {
  part swift swift_tests
}

# tests of the tool that build and install first
builds=(Tests/tool/test_{install,package,timedsp}.py)

# all that writes into build
plugin() {
  part plugin meson test -C build --suite plugin --print-errorlogs
  part valgrind meson test -C build --suite plugin --no-suite slow --no-suite native --setup valgrind --print-errorlogs
  pytest builds "${builds[@]}"
}

pytest() { # NAME of the part, its FILES or folder …
  local name=$1
  shift
  # a process that is started by nohup, or in the background, ignores some signals that tests send
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
  # asks git for the files: a source archive goes without
  [ ! -e .git ] || part lint scripts/lint.sh
}

# each is a process group of its own, which a Ctrl-C ends as a whole
set -m
trap 'trap - INT TERM; jobs -p | xargs -I {} kill -- -{}; exit 130' INT TERM

# The longest first. One more than there are cores are under way, as many tests wait for
# what plays in real time.
for parts in swift_package tool examples plugin fuzz short_parts; do
  [ "$(jobs -rp | wc -l)" -le "$(nproc)" ] || wait -n
  "$parts" &
done
wait

exec /usr/bin/python3 Tests/totals.py "$results" build/Tests/plugin
