#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: scale-keep-type.sh [--factor=NUMBER] [INPUT [OUTPUT]]
#
# Scales a file in time by a factor from 0.01 to 100 (1.5), and encodes it as the type in the
# output's name: wav, aiff, flac, m4a, mp3, ogg or opus. Without OUTPUT, it keeps the input's type.
#
# The second audioconvert and audioresample convert the audio only if the encoder does not
# support its format or sample rate.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

number factor 1.5 0.01 100
parse 2 "$@"
open_input
open_output "$stem-scaled.${input##*.}"

case ${output##*.} in
    wav) encoder=(wavenc) ;;
    aiff | aif) encoder=(aiffmux) ;;
    flac) encoder=(flacenc) ;;
    m4a) encoder=(avenc_aac ! aacparse ! mp4mux) ;;
    mp3) encoder=(lamemp3enc ! xingmux) ;;
    ogg) encoder=(vorbisenc ! oggmux) ;;
    opus) encoder=(opusenc ! oggmux) ;;
    *) wrong_usage "$output: its type is none of wav, aiff, flac, m4a, mp3, ogg and opus." ;;
esac

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! timescale factor="${option[factor]}" ! \
    audioconvert ! audioresample ! "${encoder[@]}" ! filesink location="$part"

close_output
