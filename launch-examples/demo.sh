#!/bin/bash
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: demo.sh [INPUT]
#
# Shows on one file what Retrograde does: reverses it, reverses it back and
# compares, scales it, and draws all three. Everything goes to the folder demo.
set -euo pipefail
source "$(dirname -- "$0")/common.sh"

parse 1 "$@"
open_input

"$examples/reverse-twice.sh" -- "$input" "$root/demo"
"$examples/scale-file.sh" --factor=1.5 -- "$input" "$root/demo/$stem-scaled.wav"

enter "$root/demo"
"$examples/draw-waveforms.py" "$part.png" \
    "original" "$stem-FORWARD.wav" \
    "reversed" "$stem-REVERSED.wav" \
    "scaled by 1.5" "$stem-scaled.wav"
keep "$part.png" "$stem.png"
