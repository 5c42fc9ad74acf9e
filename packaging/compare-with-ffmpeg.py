#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares what check-packages.sh has made with the frames that FFmpeg reads.

Usage: compare-with-ffmpeg.py FOLDER
"""

import subprocess
import sys
from pathlib import Path

import numpy as np


def frames(path):
    """All frames as 16-bit integers, read by FFmpeg; one row for each."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-ac", "2", "-"]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(data, "<i2").reshape(-1, 2).astype(np.int64)


def scaled(sound):
    """By 3/2, linear: frame j lies at 2j/3, between two of the input. The last one
    stays where there is none after it. Thirds are never half, so rounding is clear."""
    positions = 2 * np.arange(len(sound) * 3 // 2)
    left, thirds = positions // 3, (positions % 3)[:, np.newaxis]
    right = np.minimum(left + 1, len(sound) - 1)
    sums = sound[left] * (3 - thirds) + sound[right] * thirds
    return (2 * sums + 3) // 6


def main():
    folder = Path(sys.argv[1])
    sound = frames(folder / "sample.wav")
    expected = {"reversed": sound[::-1], "scaled": scaled(sound)}
    names = sorted(path for path in folder.glob("*-*.wav"))
    if len(names) != 8:
        sys.exit(f"There are {len(names)} sounds, and not 8.")
    for path in names:
        want, found = expected[path.stem.split("-")[-1]], frames(path)
        if not np.array_equal(want, found):
            where = "" if want.shape != found.shape else f", first in frame {np.argwhere((want != found).any(axis=1))[0, 0]}"
            sys.exit(f"{path.name}: {len(found)} frames for {len(want)}{where}: not what FFmpeg's frames make.")
        print(f"{path.name}: {len(found)} frames, as of FFmpeg")


if __name__ == "__main__":
    main()
