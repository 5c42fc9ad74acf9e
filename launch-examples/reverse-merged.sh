#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-merged.sh [INPUT [OUTPUT.wav]]
#
# Mixes all channels of a file into one and reverses it.
#
# audioconvert mixes the channels, because the caps after it require a single one.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
open_output "$stem-reversed-merged.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! audio/x-raw,channels=1 ! \
    revbuf direction=reverse ! wavenc ! filesink location="$part"

close_output
