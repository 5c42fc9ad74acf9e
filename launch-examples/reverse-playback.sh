#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-playback.sh [--sink=speaker|silent|wav] [INPUT [OUTPUT.wav]]
#
# Plays a file backwards by seeking with a negative rate, as an application would, and prints the
# falling position. The program is reverse-playback.c.
#
#   speaker   the default audio device
#   silent    no sound, but in real time
#   wav       a file, as fast as possible
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

choice sink speaker silent wav
parse 2 "$@"
open_input

case ${option[sink]} in
    speaker) sink=autoaudiosink ;;
    silent) sink="fakesink sync=true" ;;
    wav)
        open_output "$stem-played-backwards.wav"
        sink="wavenc ! filesink location=$part"
        ;;
esac

"$build/launch-examples/reverse-playback" "$uri" "$sink"

[[ ${option[sink]} != wav ]] || close_output
