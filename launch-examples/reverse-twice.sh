#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: reverse-twice.sh [INPUT [FOLDER]]
#
# Writes three WAVs: the decoded file, its reverse, and the reverse of that, which must match the
# first. Prints the number of equal frames, and fails if any frame differs.
#
# We reverse the WAV rather than the file, because some decoders return different samples each time.
# There's no audioconvert, so the samples' bits don't change.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
enter "${arguments[1]:-out}"

reverse() { # FROM TO
    gst-launch-1.0 -q \
        filesrc location="$1" ! wavparse ! revbuf direction=reverse ! \
        wavenc ! filesink location="$2"
}

gst-launch-1.0 -q \
    "${decode[@]}" ! audioconvert ! wavenc ! filesink location="$part-1"
reverse "$part-1" "$part-2"
reverse "$part-2" "$part-3"

keep "$part-1" "$stem-FORWARD.wav"
keep "$part-2" "$stem-REVERSED.wav"
keep "$part-3" "$stem-REVERSED-REVERSED.wav"
"$examples/compare-frames.py" "$stem-FORWARD.wav" "$stem-REVERSED-REVERSED.wav"
