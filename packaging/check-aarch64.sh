#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests the plugin and the tool for aarch64 under qemu. Compares them with those for this
# machine: exports, dependencies, and the output for every interpolation, quality and format
# and with the pitch kept, which must be equal bit for bit. Also runs the C tests and the
# corpus of the fuzzers.
set -eu
source "$(dirname "$0")/common.sh"
native=$root/build/gst-plugin/libgstretrograde.so
cross=$root/build-aarch64/gst-plugin/libgstretrograde.so
native_tool=$root/build/tool/retrograde
cross_tool=$root/build-aarch64/tool/retrograde
work=$root/build-aarch64/check
rm -rf "$work"
mkdir -p "$work"

# ---- what they export and need ----

exports() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }
# without the loader, which is needed only on aarch64, for the stack protector
needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v ^ld-linux | sort; }

diff <(exports "$native") <(exports "$cross")
diff <(needs "$native") <(needs "$cross")
diff <(needs "$native_tool") <(needs "$cross_tool")
echo "Exports and libraries are the same."
# with fused operations (FMA), results would differ from the results on x86-64
if aarch64-linux-gnu-objdump -d --no-show-raw-insn "$cross" | grep -wE 'fn?m(add|sub)|fml[as]'; then
  echo "The plugin for aarch64 has fused operations." >&2
  exit 1
fi

# ---- the same bits ----

# run ARCHITECTURE PROGRAM ARGUMENT …: runs a program with the plugin for its architecture
run() {
  local program=$2
  local environment=(env GST_REGISTRY_FORK=no "GST_REGISTRY_1_0=$work/$1.bin"
    "GST_PLUGIN_PATH_1_0=$(dirname "$native")")
  if [ "$1" = aarch64 ]; then
    local system=$root/build-aarch64/sysroot/usr
    environment+=("GST_PLUGIN_PATH_1_0=$(dirname "$cross")"
      "GST_PLUGIN_SYSTEM_PATH_1_0=$system/lib/aarch64-linux-gnu/gstreamer-1.0"
      qemu-aarch64-static -L "$root/build-aarch64/sysroot")
  fi
  shift 2
  "${environment[@]}" "$program" "$@"
}

# launch ARCHITECTURE PIPELINE …: runs gst-launch-1.0 for an architecture
launch() {
  local program=/usr/bin/gst-launch-1.0
  [ "$1" = x86_64 ] || program=$root/build-aarch64/sysroot$program
  run "$1" "$program" -q "${@:2}"
}

# the input: the same noise in all formats
for format in S16LE S32LE F32LE F64LE; do
  launch x86_64 audiotestsrc wave=white-noise num-buffers=20 samplesperbuffer=500 ! \
    "audio/x-raw,format=$format,channels=2,rate=48000" ! filesink location="$work/$format"
done

# same FORMAT ELEMENT PROPERTY …: checks that the output of an element for noise is the same
# on both architectures
n_same=0
same() {
  local format=$1 architecture
  shift
  for architecture in x86_64 aarch64; do
    launch "$architecture" filesrc location="$work/$format" ! rawaudioparse use-sink-caps=false \
      format=pcm "pcm-format=${format,,}" num-channels=2 sample-rate=48000 ! \
      "$@" ! filesink location="$work/$architecture.raw"
  done
  if ! cmp "$work/x86_64.raw" "$work/aarch64.raw"; then
    echo "$format, $*: the bits differ." >&2
    exit 1
  fi
  [ -s "$work/aarch64.raw" ]
  n_same=$((n_same + 1))
}

for format in S16LE S32LE F32LE F64LE; do
  same "$format" revbuf direction=reverse mode=collect
  for factor in 0.37 1.1 2.718281828; do
    for interpolation in nearest linear smooth cubic; do
      same "$format" timescale "factor=$factor" "interpolation=$interpolation"
    done
    for quality in 0 4 6 10; do
      same "$format" timescale "factor=$factor" "quality=$quality"
    done
  done
done
for format in S16LE F32LE; do
  # -3.6 and 19.65, because glibc's exp2() of these / 12 differs in the last bit on aarch64
  for stretch in factor=0.63 factor=2.3 "factor=1 semitones=-5" "factor=1.5 semitones=3" \
    semitones=-3.6 semitones=19.65; do
    # shellcheck disable=SC2086 # two properties
    same "$format" timescale keep-pitch=true $stretch
  done
done
echo "$n_same pipelines gave the same bits on both."

# the tools: a file with tags
for architecture in x86_64 aarch64; do
  tool=$native_tool
  [ $architecture = x86_64 ] || tool=$cross_tool
  mkdir "$work/$architecture"
  cp launch-examples/media/sample.flac "$work/$architecture"
  (
    cd "$work/$architecture"
    run $architecture "$tool" reverse sample.flac -o reversed.flac
    run $architecture "$tool" scale --factor 1.5 sample.flac -o scaled.wav
    run $architecture "$tool" scale --factor 1.5 --keep-pitch sample.flac -o stretched.wav
    run $architecture "$tool" info --json reversed.flac scaled.wav stretched.wav > info.json
  ) > "$work/$architecture.log" 2>&1 || { cat "$work/$architecture.log"; exit 1; }
done
diff -r "$work/x86_64" "$work/aarch64"
echo "The tools made the same files."

# ---- the tests ----

# Under qemu, tests take at least ten times as long. The tests that limit the time of threads, and
# the test that has its own malloc(), are not run.
mapfile -t tests < <(meson test -C build-aarch64 --list 2>/dev/null | sed 's/.* \/ //' |
  grep -vxE 'heap|huge|stress|seek_stress|revbuf_block_seam')
CK_TIMEOUT_MULTIPLIER=20 meson test -C build-aarch64 --timeout-multiplier 20 --print-errorlogs "${tests[@]}"
