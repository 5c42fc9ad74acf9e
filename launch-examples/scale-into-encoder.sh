#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: scale-into-encoder.sh [--rate=NUMBER] [INPUT [OUTPUT.opus]]
#
# Plays a file at another speed, from 0.01 to 100 (1.25), straight into an
# encoder. A rate of 2 is twice as fast and an octave higher: rate and factor
# are the same knob, seen as a speed and as a length.
#
# Opus knows few sampling rates; audioresample goes to one of them.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

number rate 1.25 0.01 100
parse 2 "$@"
open_input
open_output "$stem-rate-${option[rate]}.opus"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! timescale rate="${option[rate]}" ! \
    audioconvert ! audioresample ! opusenc ! oggmux ! filesink location="$part"

close_output
