#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: scale-file.sh [OPTION…] [INPUT [OUTPUT.wav]]
#
#   --factor=NUMBER        new duration / old duration, 0.01 to 100 (1.5)
#   --interpolation=WORD   as for timescale: nearest, linear, … (sinc)
#   --quality=NUMBER       quality of sinc, 0 to 10 (6)
#   --alignment=WORD       stream or endpoints (stream)
#   --keep-pitch=WORD      true or false (false)
#
# Changes the duration of a file. The pitch changes, too, as on a tape. At factor 2, the file lasts
# twice as long and sounds an octave lower, unless you keep the pitch.
#
# With alignment=endpoints, the first and the last frame stay the same. timescale then collects the
# whole stream, because it has to know the length.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

number factor 1.5 0.01 100
mapfile -t interpolations < <(nicks interpolation)
choice interpolation sinc "${interpolations[@]/sinc/}"
number quality 6 0 10
choice alignment stream endpoints
choice keep-pitch false true
parse 2 "$@"
open_input
open_output "$stem-scaled.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! \
    timescale factor="${option[factor]}" interpolation="${option[interpolation]}" \
    quality="${option[quality]}" \
    alignment="${option[alignment]}" keep-pitch="${option[keep-pitch]}" ! \
    audioconvert ! wavenc ! filesink location="$part"

close_output
