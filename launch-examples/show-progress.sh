#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: show-progress.sh [--sync=true|false] [INPUT [OUTPUT.wav]]
#
# Reverses a file and shows the progress, from two sources:
#
#   revbuf           posts progress messages if it collects the whole stream:
#                    percent collected, then percent sent; gst-launch prints
#                    them (without -q)
#   progressreport   queries position and duration every second and prints
#                    them; the position is that in the file, so it falls
#
# Writes in real time or, with --sync=false, as fast as possible.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

choice sync true false
parse 2 "$@"
open_input
open_output "$stem-reversed.wav"

gst-launch-1.0 \
    "${decode[@]}" ! audioconvert ! revbuf direction=reverse mode=collect ! \
    progressreport update-freq=1 ! wavenc ! filesink sync="${option[sync]}" location="$part"

close_output
