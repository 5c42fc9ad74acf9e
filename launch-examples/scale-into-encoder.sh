#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: scale-into-encoder.sh [--rate=NUMBER] [INPUT [OUTPUT.opus]]
#
# Plays a file at another speed, from 0.01 to 100 (default: 1.25), and encodes the result.
# At a rate of 2, the sound is twice as fast and an octave higher. Rate and factor are two
# properties for the same setting: rate is a speed, factor a duration.
#
# Opus supports only a few sample rates; audioresample converts to one of them.
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
