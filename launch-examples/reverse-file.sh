#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-file.sh [INPUT [OUTPUT.wav]]
#
# Turns an audio file of any type around and writes it as WAV.
#
#   decode         is uridecodebin uri=file:///… (see common.sh), which opens and
#                  decodes the file, whatever it is
#   audioconvert   brings the samples into a format that WAV knows, if need be
#   revbuf         sends it last frame first: it fetches the file in blocks from
#                  its end; what cannot seek, it keeps as a whole
#   wavenc         writes the WAV header, and its length when the end is known
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
open_output "$stem-reversed.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! revbuf direction=reverse ! \
    wavenc ! filesink location="$part"

close_output
