#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-first-channel.sh [INPUT [OUTPUT.wav]]
#
# Reverses the first channel of a file, and leaves out the others.
#
# deinterleave has a source pad for each channel: src_0, src_1 and so on. We only link the first, so
# the output of the others is dropped.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
open_output "$stem-reversed-first-channel.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! deinterleave name=channels \
    channels.src_0 ! audioconvert ! revbuf direction=reverse ! \
    wavenc ! filesink location="$part"

close_output
