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

"$soak" many "$pipelines"
"$soak" cycles "$cycles"
"$soak" play "$hours"
