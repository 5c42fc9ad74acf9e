#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds the fuzzers in build-fuzz, and runs all of them at the same time.
#
#   fuzz.sh [--tap FILE] [--repeatable] [--keep] SECONDS [FUZZER …]
#
# --tap    also writes the results to a TAP file
# --repeatable  runs the corpus of the repository, then 1500 runs with random numbers
#          that are always the same, so that the result for a commit does not change
# --keep   adds new inputs that reach new code to Tests/fuzz/corpus; without this
#          option, they are kept in build-fuzz/corpus for the next run
#
# An input that fails is kept as build-fuzz/FUZZER-*. To run it again:
#   build-fuzz/Tests/fuzz/FUZZER build-fuzz/FUZZER-crash-…
set -u
cd "$(dirname "$0")/../.." || exit 1

tap="" keep="" repeatable=""
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --tap) tap=$2; shift ;;
    --keep) keep=1 ;;
    --repeatable) repeatable=-check ;;
  esac
  shift
done
seconds=$1
shift
fuzzers=("$@")
if [ ${#fuzzers[@]} -eq 0 ]; then
  fuzzers=(fuzz_dsp fuzz_blocks fuzz_elements fuzz_seek)
  # with --repeatable, fuzz_files is left out, because the Swift tests already run its corpus
  [ -n "$repeatable" ] || fuzzers+=(fuzz_files)
fi

# The C code and the Swift code must be compiled by the same toolchain.
build="build-fuzz"
toolchain=$(dirname "$(command -v swiftc)")
if [ ! -f $build/build.ninja ]; then
  CC="$toolchain/clang" CC_LD=lld meson setup $build \
    -Dinstrument=fuzzer -Db_sanitize=address,undefined -Db_lundef=false || exit 1
fi

# The library and this fuzzer are compiled as one module, because the parsers are
# internal.
build_fuzz_files() {
  local objects=$build/fuzz_files.p source flags libraries sources
  local packages=(gstreamer-app-1.0 gstreamer-audio-1.0 gstreamer-pbutils-1.0 gstreamer-controller-1.0)
  read -ra flags <<< "$(pkg-config --cflags-only-I "${packages[@]}")"
  read -ra libraries <<< "$(pkg-config --libs "${packages[@]}")"
  # without the file that imports AudioModel, whose sources are part of this module
  mapfile -t sources < <(find Sources/Retrograde Sources/AudioModel -name '*.swift' -not -name Exports.swift)
  mkdir -p "$objects"
  for source in Sources/CGStreamer/*.c; do
    "$toolchain/clang" -c -g -O1 -fsanitize=address,fuzzer-no-link "${flags[@]}" \
      -ISources/CGStreamer/include "$source" -o "$objects/$(basename "$source").o" || return 1
  done
  swiftc -sanitize=fuzzer,address -use-ld=lld -O -g -wmo -swift-version 6 -parse-as-library \
    -module-name Retrograde -package-name retrograde -I Sources/CGStreamer/include \
    "${flags[@]}" "${sources[@]}" Tests/fuzz/files/*.swift "$objects"/*.o "${libraries[@]}" \
    -emit-executable -emit-module-path "$objects/Retrograde.swiftmodule" -o "$build/Tests/fuzz/fuzz_files"
}

for fuzzer in "${fuzzers[@]}"; do
  if [ "$fuzzer" = fuzz_files ]; then build_fuzz_files; else ninja -C $build "Tests/fuzz/$fuzzer"; fi ||
    exit 1
done

export G_SLICE=always-malloc
export ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=16
options=(-len_control=0 -timeout=120 -rss_limit_mb=2000
  -print_final_stats=1 "-max_total_time=$seconds")
# 1500 runs take at most a minute on a slow machine; with a time limit, they would not be repeatable
[ -z "$repeatable" ] || options+=(-seed=1 -runs=1500)

declare -A pids
for fuzzer in "${fuzzers[@]}"; do
  own="$build/corpus$repeatable/$fuzzer"
  [ -z "$repeatable" ] || rm -rf "$own"
  mkdir -p "$own"
  folders=("$own" "Tests/fuzz/corpus/$fuzzer")
  [ -z "$keep" ] || folders=("Tests/fuzz/corpus/$fuzzer")
  # no check for leaks, because memory that GLib keeps for a thread that is ending looks like a
  # leak; `make check-asan` checks these fuzzers for leaks
  leaks=1 length=400
  case $fuzzer in
    fuzz_seek) leaks=0 ;;
    fuzz_files) length=5000 ;;
  esac
  "$build/Tests/fuzz/$fuzzer" "${options[@]}" -detect_leaks=$leaks "-max_len=$length" \
    "-artifact_prefix=$build/$fuzzer-" "${folders[@]}" \
    > "$build/$fuzzer.log" 2>&1 &
  pids[$fuzzer]=$!
done

failed=0 n=0
[ -z "$tap" ] || echo "1..${#fuzzers[@]}" > "$tap"
for fuzzer in "${fuzzers[@]}"; do
  n=$((n + 1)) result=ok
  if ! wait "${pids[$fuzzer]}"; then
    result="not ok" failed=1
    tail -n 60 "$build/$fuzzer.log"
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$fuzzer.log")
  echo "$result $n - $fuzzer: ${runs:-no} runs in $seconds s"
  [ -z "$tap" ] || echo "$result $n - $fuzzer" >> "$tap"
done
exit $failed
