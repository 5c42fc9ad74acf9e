#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the signal processing with a 32-bit Int, compiled to WebAssembly and for i686. Both programs
# run the corpora of fuzz_dsp and fuzz_blocks, which check each result against the documentation.
# fuzz_blocks tests the object file of the web page. fuzz_dsp also needs the scaler and the
# stretcher as separate functions (Tests/bridge).
set -eu
cd "$(dirname "$0")/../.."
build=build/32-bit
mkdir -p "$build"

scripts/make-web.sh  # makes the object file of the web page
toolchain=$(dirname "$(command -v swiftc)")
builtins=$(find /usr/lib/llvm-*/lib/clang -name libclang_rt.builtins-wasm32.a | tail -n 1)
libc=/usr/lib/wasm32-wasi

mapfile -t sources < <(find Sources/TimeDSP Tests/bridge -name '*.swift' -not -path '*/API/*' | sort)
compile() { # OBJECT, the compiler's FLAGS …
  swiftc -enable-experimental-feature Embedded -wmo -parse-as-library -O -Xfrontend -disable-stack-protector \
    -module-name TimeDSPCore -package-name retrograde -I Sources/CTimeDSP/include -I Tests/bridge "${@:2}" \
    -c "${sources[@]}" -o "$1"
}

run() { # PROCESSOR, COMMAND …: shows the last line, and the input that fails
  local processor=$1
  shift
  "$@" > "$build/log" || { tail -n 1 "$build/log"; return 1; }
  echo "$processor: $(tail -n 1 "$build/log")"
}

replay_wasm() { # FUZZER, OBJECT of the core, its SOURCES …
  local fuzzer=$1 core=$2 source objects=()
  shift 2
  for source in "Tests/fuzz/$fuzzer.c" Tests/fuzz/fuzzinput.c "$@"; do
    objects+=("$build/$(basename "$source" .c).wasm.o")
    "$toolchain/clang" --target=wasm32-wasi -isystem /usr/include/wasm32-wasi -O1 -g -I Sources/CTimeDSP/include \
      -I Tests/bridge -I Tests/fuzz -c "$source" -o "${objects[-1]}"
  done
  "$toolchain/wasm-ld" --no-entry --export=_initialize --export=malloc --export=free \
    --export=LLVMFuzzerTestOneInput -z stack-size=1048576 "$libc/crt1-reactor.o" "${objects[@]}" "$core" \
    "-L$libc" -lc -lm "$builtins" -o "$build/$fuzzer.wasm"
  run wasm32 node Tests/fuzz/replay/run-wasm.mjs "$build/$fuzzer.wasm" "Tests/fuzz/corpus/$fuzzer"
}
compile "$build/timedsp.wasm.o" -target wasm32-unknown-none-wasm -Xcc -I/usr/include/wasm32-wasi -Xcc -msimd128
replay_wasm fuzz_dsp "$build/timedsp.wasm.o" Tests/fuzz/dsp*.c
replay_wasm fuzz_blocks build/web-objects/timedsp.o

if [ "$(uname -m)" != x86_64 ]; then
  echo "This machine is no x86-64, so it runs nothing for i686."
  exit 0
fi

# The compiler's target has no C library, so it uses the headers of the i686 C library.
compile "$build/timedsp.o" -target i686-unknown-none-elf -suppress-warnings -Xcc -I/usr/include \
  -Xcc -I/usr/include/x86_64-linux-gnu -Xcc -D__i386__ -Xcc -msse2 -Xcc -w

replay() { # FUZZER, its SOURCES …
  local fuzzer=$1
  shift
  gcc -m32 -msse2 -mfpmath=sse -ffp-contract=off -O1 -g -I Sources/CTimeDSP/include -I Tests/bridge -I Tests/fuzz \
    Tests/fuzz/replay/replay.c "Tests/fuzz/$fuzzer.c" Tests/fuzz/fuzzinput.c "$@" "$build/timedsp.o" \
    -lm -o "$build/$fuzzer"
  run i686 "$build/$fuzzer" "Tests/fuzz/corpus/$fuzzer"
}
replay fuzz_dsp Tests/fuzz/dsp*.c
replay fuzz_blocks
