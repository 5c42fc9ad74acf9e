#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The plugin for aarch64 beside that for this machine: what they export and need,
# the C tests and the fuzzer's corpus under qemu, and the same bits from the same
# sound, for every interpolation, quality and format, and with the pitch kept.
set -eu
source "$(dirname "$0")/common.sh"
native=$root/build/gst-plugin/libgstretrograde.so
cross=$root/build-aarch64/gst-plugin/libgstretrograde.so
work=$root/build-aarch64/check
rm -rf "$work"
mkdir -p "$work"

# ---- what they export and need ----

exports() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }
# The loader is where aarch64 has the stack protector's secret; x86-64 has it in a
# register.
needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v ^ld-linux | sort; }

diff <(exports "$native") <(exports "$cross")
diff <(needs "$native") <(needs "$cross")
echo "Exports and libraries are the same."
# a product and a sum that are rounded once are not what x86-64 makes
if aarch64-linux-gnu-objdump -d --no-show-raw-insn "$cross" | grep -wE 'fn?m(add|sub)|fml[as]'; then
  echo "The plugin for aarch64 has fused operations." >&2
  exit 1
fi

# ---- the same bits ----

# run ARCHITECTURE PIPELINE …: gst-launch-1.0 with the plugin of an architecture.
run() {
  local environment=(env GST_REGISTRY_FORK=no "GST_REGISTRY_1_0=$work/$1.bin"
    "GST_PLUGIN_PATH_1_0=$(dirname "$native")")
  local program=(gst-launch-1.0)
  if [ "$1" = aarch64 ]; then
    local system=$root/build-aarch64/sysroot/usr
    environment+=("GST_PLUGIN_PATH_1_0=$(dirname "$cross")"
      "GST_PLUGIN_SYSTEM_PATH_1_0=$system/lib/aarch64-linux-gnu/gstreamer-1.0")
    program=(qemu-aarch64-static -L "$root/build-aarch64/sysroot" "$system/bin/gst-launch-1.0")
  fi
  shift
  "${environment[@]}" "${program[@]}" -q "$@"
}

# noise of all formats, made once
for format in S16LE S32LE F32LE F64LE; do
  run x86_64 audiotestsrc wave=white-noise num-buffers=20 samplesperbuffer=500 ! \
    "audio/x-raw,format=$format,channels=2,rate=48000" ! filesink location="$work/$format"
done

# same FORMAT ELEMENT PROPERTY …: an element makes the same of noise on both.
n_same=0
same() {
  local format=$1 architecture
  shift
  for architecture in x86_64 aarch64; do
    run "$architecture" filesrc location="$work/$format" ! rawaudioparse use-sink-caps=false \
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
  # glibc's exp2() gives another last bit on aarch64 for -3.6 / 12 and 19.65 / 12
  for stretch in factor=0.63 factor=2.3 "factor=1 semitones=-5" "factor=1.5 semitones=3" \
    semitones=-3.6 semitones=19.65; do
    # shellcheck disable=SC2086 # two properties
    same "$format" timescale keep-pitch=true $stretch
  done
done
echo "$n_same pipelines gave the same bits on both."

# ---- the tests ----

# Under qemu a test takes ten times as long and more. Left out are those that wait for
# threads no longer than these need elsewhere, and the one whose malloc() is its own.
mapfile -t tests < <(meson test -C build-aarch64 --list 2>/dev/null | sed 's/.* \/ //' |
  grep -vxE 'heap|huge|stress|seek_stress|revbuf_block_seam')
CK_TIMEOUT_MULTIPLIER=20 meson test -C build-aarch64 --timeout-multiplier 20 --print-errorlogs "${tests[@]}"
