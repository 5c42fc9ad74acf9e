#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: run-all.sh [--all] [PART …]
#
# Builds the tree and runs the parts of `make check`, or with --all those of `make check-all`, or only the
# PARTs that you name. A part that fails doesn't stop the others. The last line of the output is
# `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1

short=(swift plugin tool examples web lint)
long=(swift plugin tool examples web lint valgrind asan tsan fuzz 32-bit docs measure packages mutants)

all=""
if [ "${1:-}" = --all ]; then
  all=1
  shift
fi
if [ $# -gt 0 ]; then
  chosen=("$@")
elif [ -n "$all" ]; then
  chosen=("${long[@]}")
else
  chosen=("${short[@]}")
fi

results=build/test-results
rm -rf "$results"
mkdir -p "$results"

# For each part, this format prints how long it took, and how much processor time it used.
TIMEFORMAT='%0R s, %0U s of a processor, %0S s of the system'

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

# The tests run the same optimised signal processing as the plugin. The tool under test is the one that is
# built with them.
export RETROGRADE_FAST_CORE=1
[ -z "$all" ] || export RETROGRADE_LONG=1
RETROGRADE_TOOL=$PWD/.build/debug/retrograde
[ -n "$all" ] || export RETROGRADE_TOOL

# The plugin and the Swift packages are built at the same time, because neither keeps two cores busy.
build() {
  local plugin status
  make -s build &
  plugin=$!
  swift build --build-tests
  status=$?
  wait "$plugin" && return "$status"
}

# The test program is started itself, because `swift test` would lock .build until all tests are done.
run_swift() {
  "$(swift build --show-bin-path)/RetrogradePackageTests.xctest" --testing-library swift-testing \
    --xunit-output "$results/swift.xml"
}

run_plugin() {
  rm -f build/Tests/plugin/*tap
  meson test -C build --suite plugin ${all:+--suite long} --print-errorlogs
}

# A process that was started by nohup, or in the background, ignores some of the signals that the tests
# send. `env` resets these signals.
pytest() { # NAME of the part, OPTIONS and FILES …
  local name=$1
  shift
  env --default-signal=INT,HUP /usr/bin/python3 -m pytest -q "$@" --junitxml "$results/$name.xml"
}

marked=(-m "not long")
[ -z "$all" ] || marked=()

run_part() { # NAME
  case $1 in
    swift) part swift run_swift ;;
    plugin) part plugin run_plugin ;;
    tool | examples | web | measure) part "$1" pytest "$1" "${marked[@]}" "Tests/$1" ;;
    # lint needs git to list the files, so a source archive is not linted
    lint) [ ! -e .git ] || part lint scripts/lint.sh ;;
    valgrind) part valgrind meson test -C build --suite plugin --no-suite slow --no-suite native --setup valgrind --print-errorlogs ;;
    asan) part asan scripts/sanitize.sh asan address,undefined ;;
    tsan) part tsan scripts/sanitize.sh tsan thread ;;
    fuzz) part fuzz Tests/fuzz/fuzz.sh --tap "$results/fuzz.tap" --repeatable 60 ;;
    32-bit) part 32-bit Tests/fuzz/check-32-bit.sh ;;
    docs) part docs scripts/make-docs.sh ;;
    packages) part packages make -s check-packages ;;
    mutants) part mutants Tests/mutants/run.py ;;
    *)
      echo "There is no part '$1': choose from ${long[*]}." >&2
      exit 2
      ;;
  esac
}

for name in "${chosen[@]}"; do
  case " ${long[*]} " in
    *" $name "*) ;;
    *)
      echo "There is no part '$name': choose from ${long[*]}." >&2
      exit 2
      ;;
  esac
done

# Each part is a process group, so that Ctrl-C ends all of its processes.
set -m
trap 'trap - INT TERM; jobs -p | xargs -I {} kill -- -{}; exit 130' INT TERM

part build build
if [ "$(cat "$results/build.status")" -eq 0 ]; then
  rm "$results/build.status"
  for name in "${chosen[@]}"; do
    [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
    run_part "$name" &
  done
  wait
fi

exec /usr/bin/python3 Tests/totals.py "$results" build/Tests/plugin
