#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-and-scale.sh [--factor=NUMBER] [INPUT [OUTPUT.wav]]
#
# Reverses a file and scales it in time by a factor from 0.01 to 100 (1.5).
#
# revbuf outputs ordinary audio with rising timestamps, so timescale or any other element can
# process it.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

number factor 1.5 0.01 100
parse 2 "$@"
open_input
open_output "$stem-reversed-scaled.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! \
    revbuf direction=reverse ! timescale factor="${option[factor]}" ! \
    audioconvert ! wavenc ! filesink location="$part"

close_output
