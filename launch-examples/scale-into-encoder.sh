#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: scale-into-encoder.sh [--rate=NUMBER] [INPUT [OUTPUT.opus]]
#
# Changes the speed of a file by a rate from 0.01 to 100 (1.25), and encodes the result. At rate 2,
# the sound is twice as fast and an octave higher. The properties rate and factor are two ways to
# set the same thing: rate is the speed, and factor is its reciprocal, the duration.
#
# audioresample converts to one of the few sample rates that Opus supports.
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
