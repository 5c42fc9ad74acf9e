#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-file.sh [INPUT [OUTPUT.wav]]
#
# Reverses an audio file of any type and writes it as WAV.
#
#   decode         is uridecodebin uri=file:///… (see common.sh), which opens and
#                  decodes a file of any type
#   audioconvert   converts the samples if WAV does not support their format
#   revbuf         outputs the last frame first: it fetches the file in blocks,
#                  from its end; if it cannot seek, it collects the whole file
#   wavenc         writes the WAV header, and at the end the length in it
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
open_output "$stem-reversed.wav"

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! revbuf direction=reverse ! \
    wavenc ! filesink location="$part"

close_output
