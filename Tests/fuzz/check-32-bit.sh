#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The signal processing where Int has 32 bits: compiles it for i686, and gives it the corpora of
# fuzz_dsp and fuzz_playback, which check each result against its documentation.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(uname -m)" != x86_64 ]; then
  echo "This machine is no x86-64, so it runs nothing for i686."
  exit 0
fi
build=build/32-bit
mkdir -p "$build"

mapfile -t sources < <(find Sources/TimeDSP -name '*.swift' -not -path '*/API/*' | sort)
# the compiler's target has no libc of its own: it takes the headers of the i686 one
swiftc -enable-experimental-feature Embedded -target i686-unknown-none-elf -wmo \
  -parse-as-library -O -Xfrontend -disable-stack-protector -suppress-warnings -module-name TimeDSPCore -package-name retrograde \
  -I Sources/CTimeDSP/include -Xcc -I/usr/include -Xcc -I/usr/include/x86_64-linux-gnu \
  -Xcc -D__i386__ -Xcc -msse2 -Xcc -w -c "${sources[@]}" -o "$build/timedsp.o"

replay() { # FUZZER, its SOURCES …
  local fuzzer=$1
  shift
  gcc -m32 -msse2 -mfpmath=sse -ffp-contract=off -O1 -g -I Sources/CTimeDSP/include -I Tests/fuzz \
    Tests/fuzz/replay/replay.c "Tests/fuzz/$fuzzer.c" Tests/fuzz/fuzzinput.c "$@" "$build/timedsp.o" \
    -lm -o "$build/$fuzzer"
  "$build/$fuzzer" "Tests/fuzz/corpus/$fuzzer" | tail -n 1
}
replay fuzz_dsp Tests/fuzz/dsp*.c
replay fuzz_playback
