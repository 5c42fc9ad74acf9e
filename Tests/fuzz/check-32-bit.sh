#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The signal processing where Int has 32 bits: as the WebAssembly module of the web page, and compiled
# for i686. Both get the corpora of fuzz_dsp and fuzz_playback, which check each result against its
# documentation.
set -eu
cd "$(dirname "$0")/../.."
build=build/32-bit
mkdir -p "$build"

scripts/make-web.sh  # makes the object that is tested
toolchain=$(dirname "$(command -v swiftc)")
builtins=$(find /usr/lib/llvm-*/lib/clang -name libclang_rt.builtins-wasm32.a | tail -n 1)
libc=/usr/lib/wasm32-wasi

run() { # PROCESSOR, COMMAND …: shows the last line, and the input that fails
  local processor=$1
  shift
  "$@" > "$build/log" || { tail -n 1 "$build/log"; return 1; }
  echo "$processor: $(tail -n 1 "$build/log")"
}

replay_wasm() { # FUZZER, its SOURCES …
  local fuzzer=$1 source objects=()
  shift
  for source in "Tests/fuzz/$fuzzer.c" Tests/fuzz/fuzzinput.c "$@"; do
    objects+=("$build/$(basename "$source" .c).wasm.o")
    "$toolchain/clang" --target=wasm32-wasi -isystem /usr/include/wasm32-wasi -O1 -g -I Sources/CTimeDSP/include \
      -I Tests/fuzz -c "$source" -o "${objects[-1]}"
  done
  "$toolchain/wasm-ld" --no-entry --export=_initialize --export=malloc --export=free \
    --export=LLVMFuzzerTestOneInput -z stack-size=1048576 "$libc/crt1-reactor.o" "${objects[@]}" build/web-objects/timedsp.o \
    "-L$libc" -lc -lm "$builtins" -o "$build/$fuzzer.wasm"
  run wasm32 node Tests/fuzz/replay/run-wasm.mjs "$build/$fuzzer.wasm" "Tests/fuzz/corpus/$fuzzer"
}
replay_wasm fuzz_dsp Tests/fuzz/dsp*.c
replay_wasm fuzz_playback

if [ "$(uname -m)" != x86_64 ]; then
  echo "This machine is no x86-64, so it runs nothing for i686."
  exit 0
fi

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
  run i686 "$build/$fuzzer" "Tests/fuzz/corpus/$fuzzer"
}
replay fuzz_dsp Tests/fuzz/dsp*.c
replay fuzz_playback
