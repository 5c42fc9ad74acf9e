#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: make-web.sh [FOLDER]
# Compiles the signal processing to WebAssembly, and copies the module and the scripts of web/ to
# FOLDER (default: build/web).
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/web}
objects=build/web-objects
mkdir -p "$folder" "$objects"

libc=/usr/lib/wasm32-wasi
builtins=$(find /usr/lib/llvm-*/lib/clang -name libclang_rt.builtins-wasm32.a 2>/dev/null | tail -n 1)
if [ ! -f "$libc/libc.a" ] || [ -z "$builtins" ]; then
  echo "make-web.sh: install wasi-libc and libclang-rt-dev-wasm32." >&2
  exit 1
fi

# one module of the signal processing and of the player
mapfile -t sources < <(find Sources/TimeDSP web/core -name '*.swift' -not -path '*/API/*' | sort)
newest=$(find "${sources[@]}" Sources/CTimeDSP/include "$0" -newer "$objects/retrograde.wasm" 2>/dev/null | head -n 1 || true)
if [ ! -f "$objects/retrograde.wasm" ] || [ -n "$newest" ]; then
  swiftc -enable-experimental-feature Embedded -target wasm32-unknown-none-wasm -wmo \
    -parse-as-library -O -Xfrontend -disable-stack-protector -module-name TimeDSPCore -package-name retrograde \
    -I Sources/CTimeDSP/include -Xcc -I/usr/include/wasm32-wasi -Xcc -msimd128 \
    -file-prefix-map "$PWD=." -c "${sources[@]}" -o "$objects/timedsp.o"
  exports=$(sed -n 's/^@c public func \(\(player\|tape\)_[a-z_]*\).*/--export=\1/p' web/core/*.swift)
  # shellcheck disable=SC2086  # one word for each export
  "$(dirname "$(command -v swiftc)")/wasm-ld" --no-entry --gc-sections --strip-all \
    $exports --export=_initialize -z stack-size=262144 "$libc/crt1-reactor.o" \
    "$objects/timedsp.o" "-L$libc" -lc -lm "$builtins" -o "$objects/linked.wasm"
  mv "$objects/linked.wasm" "$objects/retrograde.wasm"
fi
cp "$objects/retrograde.wasm" web/*.js web/*.ts web/*.html web/*.css launch-examples/media/sample.mp3 launch-examples/media/speech.wav "$folder/"
scripts/make-offline.py "$folder" '*'
