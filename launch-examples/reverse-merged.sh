#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-merged.sh [INPUT [OUTPUT.wav]]
#
# Merges all channels of a file into one and reverses that.
#
# audioconvert mixes when the format after it has fewer channels than the one
# before it.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
open_output "$stem-reversed-merged.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! audio/x-raw,channels=1 ! \
    revbuf direction=reverse ! wavenc ! filesink location="$part"

close_output
