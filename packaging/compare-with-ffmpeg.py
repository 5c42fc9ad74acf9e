#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the files that a script has made in a bare Debian with frames that are computed from the
original.

Usage: compare-with-ffmpeg.py FOLDER NUMBER-OF-FILES
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

RATE = 44100


def frames(path):
    """Reads a file with FFmpeg. Returns its frames as 16-bit integers, one row per frame."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-ac", "2", "-"]
    data = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(data, "<i2").reshape(-1, 2).astype(np.int64)


def scaled(sound):
    """Returns the sound with factor 3/2 and linear interpolation: output frame j is at 2j/3 of the
    input. After the last frame, that frame is repeated. Thirds are never halves, so rounding is
    unambiguous."""
    positions = 2 * np.arange(len(sound) * 3 // 2)
    left, thirds = positions // 3, (positions % 3)[:, np.newaxis]
    right = np.minimum(left + 1, len(sound) - 1)
    sums = sound[left] * (3 - thirds) + sound[right] * thirds
    return (2 * sums + 3) // 6


def levels(sound):
    """Returns the levels of third-octave bands from 250 Hz to 8 kHz, in dB."""
    power = (np.abs(np.fft.rfft(sound / len(sound), axis=0)) ** 2).sum(axis=1)
    edges = 250 * 2 ** (np.arange(16) / 3) / RATE * len(sound)
    return 10 * np.log10([power[round(low) : round(high)].sum() for low, high in zip(edges, edges[1:])])


def fault(kind, sound, found):
    """Returns what is wrong with the frames `found`, which were made from `sound`, or `None`."""
    if kind == "stretched":
        if len(found) != len(sound) * 3 // 2:
            return f"{len(found)} frames for {len(sound) * 3 // 2}"
        # if the pitch had changed with the speed, the levels would differ by 16 dB
        change = levels(found) - levels(sound)
        return None if np.ptp(change) < 1 else "the pitch has not been kept"
    want = sound[::-1] if kind == "reversed" else scaled(sound)
    if want.shape != found.shape:
        return f"{len(found)} frames for {len(want)}"
    wrong = np.flatnonzero((want != found).any(axis=1))
    return None if not len(wrong) else f"another value in frame {wrong[0]}"


def main():
    folder = Path(sys.argv[1])
    sound = frames(folder / "sample.wav")
    names = sorted(path for path in folder.glob("*-*.wav"))
    if len(names) != int(sys.argv[2]):
        sys.exit(f"There are {len(names)} sounds, and not {sys.argv[2]}.")
    for path in names:
        found = frames(path)
        wrong = fault(path.stem.split("-")[-1], sound, found)
        if wrong:
            sys.exit(f"{path.name}: {wrong}: not what FFmpeg's frames make.")
        print(f"{path.name}: {len(found)} frames, as of FFmpeg")


if __name__ == "__main__":
    main()
