#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: scale-file.sh [OPTION…] [INPUT [OUTPUT.wav]]
#
#   --factor=NUMBER        how much longer it gets, 0.01 to 100 (1.5)
#   --interpolation=WORD   one that timescale has: nearest, linear, … (sinc)
#   --quality=NUMBER       of sinc, 0 to 10 (6)
#   --alignment=WORD       stream or endpoints (stream)
#
# Stretches or squeezes a file in time, pitch and all, as a tape does. A factor
# of 2 makes it last twice as long and sound an octave lower.
#
# With alignment=endpoints the first and the last frame of the file stay the
# first and the last; timescale then keeps the whole stream to know its length.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

number factor 1.5 0.01 100
mapfile -t interpolations < <(nicks interpolation)
choice interpolation sinc "${interpolations[@]/sinc/}"
number quality 6 0 10
choice alignment stream endpoints
parse 2 "$@"
open_input
open_output "$stem-scaled.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! \
    timescale factor="${option[factor]}" interpolation="${option[interpolation]}" \
    quality="${option[quality]}" \
    alignment="${option[alignment]}" ! \
    audioconvert ! wavenc ! filesink location="$part"

close_output
