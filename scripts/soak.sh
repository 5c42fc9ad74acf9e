#!/bin/bash
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: soak.sh [HOURS [PIPELINES [CYCLES]]]
#
# Runs the long tests of Tests/trust/soak.c: HOURS of audio (4), PIPELINES in parallel (200),
# and CYCLES of starting and stopping (10000).
set -eu
cd "$(dirname "$0")/.."
hours=${1:-4} pipelines=${2:-200} cycles=${3:-10000}

export GST_PLUGIN_PATH_1_0=${GST_PLUGIN_PATH_1_0:-${GST_PLUGIN_PATH:-$PWD/build/gst-plugin}}
export GST_REGISTRY_1_0=$PWD/build/gst-registry.bin
soak=build/Tests/plugin/soak
ninja -C build "${soak#build/}"

sound=$(mktemp --suffix .wav)
trap 'rm -f "$sound"' EXIT
ffmpeg -v error -y -f lavfi -i "sine=440:sample_rate=48000:duration=120" -ac 2 -c:a pcm_f32le "$sound"

"$soak" many "$pipelines"
"$soak" cycles "$cycles"
"$soak" play "$hours"
"$soak" load "$sound"
