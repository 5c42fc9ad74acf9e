#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Runs the fuzzers with the inputs that they have found so far. Prints how much of the C and Swift
# code is covered by these inputs.
#
#   coverage.sh [FUZZER …]
set -eu
cd "$(dirname "$0")/../.."

fuzzers=("$@")
[ ${#fuzzers[@]} -gt 0 ] || fuzzers=(fuzz_dsp fuzz_blocks fuzz_elements fuzz_seek)
toolchain=$(dirname "$(command -v swiftc)")
build="build-coverage"

if [ ! -f $build/build.ninja ]; then
  CC="$toolchain/clang" CC_LD=lld meson setup $build \
    -Dinstrument=coverage -Db_lundef=false
fi
ninja -C $build "${fuzzers[@]/#/Tests/fuzz/}"

objects=()
for fuzzer in "${fuzzers[@]}"; do
  folders=("Tests/fuzz/corpus/$fuzzer")
  [ ! -d "build-fuzz/corpus/$fuzzer" ] || folders+=("build-fuzz/corpus/$fuzzer")
  LLVM_PROFILE_FILE="$build/$fuzzer.profraw" "$build/Tests/fuzz/$fuzzer" \
    -runs=0 -timeout=30 "${folders[@]}" > "$build/$fuzzer.log" 2>&1 ||
    tail -n 20 "$build/$fuzzer.log"
  objects+=(-object "$build/Tests/fuzz/$fuzzer")
done
"$toolchain/llvm-profdata" merge -o $build/all.profdata $build/*.profraw

for part in gst-plugin Sources/TimeDSP; do
  echo "== $part"
  "$toolchain/llvm-cov" report "${objects[@]:1}" -instr-profile=$build/all.profdata \
    -use-color=false -sources "$PWD/$part"
done
