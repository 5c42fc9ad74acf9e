#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: demo.sh [INPUT [FOLDER]]
#
# Shows what Retrograde can do with a file: reverses it, reverses the result again and
# compares that with the original, makes the file one and a half times as long, with its
# pitch and as on a tape, and draws the waveforms. All files are written to FOLDER (default:
# demo).
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 2 "$@"
open_input
folder=${arguments[1]:-demo}

echo "1 of 4: backwards, and backwards again"
"$examples/reverse-twice.sh" -- "$input" "$folder"
echo "2 of 4: one and a half times as long, at the same pitch"
"$examples/scale-file.sh" --factor=1.5 --keep-pitch=true -- "$input" "$folder/$stem-slower.wav"
echo "3 of 4: one and a half times as long, as on a tape"
"$examples/scale-file.sh" --factor=1.5 -- "$input" "$folder/$stem-slower-as-on-a-tape.wav"

echo "4 of 4: a picture of the waveforms"
enter "$folder"
"$examples/draw-waveforms.py" "$part.png" \
    "original" "$stem-FORWARD.wav" \
    "reversed" "$stem-REVERSED.wav" \
    "one and a half times as long" "$stem-slower.wav"
keep "$part.png" "$stem.png"
echo "Listen to $folder/$stem-REVERSED.wav, which is backwards, and to $folder/$stem-slower.wav, which is slower at the same pitch."
