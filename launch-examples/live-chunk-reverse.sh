#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: live-chunk-reverse.sh [OPTION…] [OUTPUT.wav]
#
#   --source=WORD      test (a tick every second) or microphone (test)
#   --sink=WORD        wav or speaker (wav)
#   --seconds=NUMBER   how long the test source runs, 0.1 to 3600 (3)
#   --block=NUMBER     seconds of each reversed block, 0.01 to 60 (0.5)
#
# Reverses a live source block by block as it plays, one block late. The microphone is recorded
# until Ctrl-C, when gst-launch -e sends an end of stream so that the WAV header gets the right
# length.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

choice source test microphone
choice sink wav speaker
number seconds 3 0.1 3600
number block 0.5 0.01 60
parse 1 "$@"
need_plugin

# each buffer of the test source lasts 10 ms
buffers=$(LC_ALL=C awk "BEGIN { printf \"%d\", ${option[seconds]} * 100 }")
block_time=$(LC_ALL=C awk "BEGIN { printf \"%.0f\", ${option[block]} * 1e9 }")

case ${option[source]} in
    test) source=(audiotestsrc is-live=true wave=ticks apply-tick-ramp=true
        samplesperbuffer=480 num-buffers="$buffers") ;;
    microphone) source=(autoaudiosrc) ;;
esac
case ${option[sink]} in
    wav)
        arguments=("" "${arguments[@]}")
        open_output live-chunk-reversed.wav
        trap : INT # Ctrl-C must end only the recording, not this script
        sink=(wavenc ! filesink location="$part")
        ;;
    speaker) sink=(audioresample ! autoaudiosink) ;;
esac

gst-launch-1.0 -q -e \
    "${source[@]}" ! audio/x-raw,rate=48000 ! audioconvert ! \
    revbuf direction=reverse mode=chunk block-time="$block_time" ! \
    audioconvert ! "${sink[@]}"

[[ ${option[sink]} == speaker ]] || close_output
