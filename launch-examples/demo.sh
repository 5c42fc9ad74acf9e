#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: demo.sh [INPUT [FOLDER]]
#
# Shows what Retrograde can do with a file: reverses it, reverses the result again and
# compares that with the original, scales the file in time, and draws the waveforms. All
# files are written to FOLDER (default: demo).
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
folder=${arguments[1]:-demo}

"$examples/reverse-twice.sh" -- "$input" "$folder"
"$examples/scale-file.sh" --factor=1.5 -- "$input" "$folder/$stem-scaled.wav"

enter "$folder"
"$examples/draw-waveforms.py" "$part.png" \
    "original" "$stem-FORWARD.wav" \
    "reversed" "$stem-REVERSED.wav" \
    "scaled by 1.5" "$stem-scaled.wav"
keep "$part.png" "$stem.png"
