#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: compare-frames.py ONE.wav OTHER.wav
#
# Prints how many frames of two WAV files are bit-identical. The exit status is 0 if the files have
# the same number of frames and all of them are equal, or else 1.

import sys

import numpy as np

import wavfile


def equal_frames(one: np.ndarray, other: np.ndarray, block: int = 1 << 20) -> np.ndarray:
    """Returns whether each frame is equal. Compares blocks of frames to save memory."""
    starts = range(0, max(1, len(one)), block)
    return np.concatenate([(one[i : i + block] == other[i : i + block]).all(axis=1) for i in starts])


def compare(one: wavfile.Wav, other: wavfile.Wav) -> str:
    """Returns a sentence about the difference, or an empty string if there is none."""
    formats = [(f"{w.channels} channels", f"{w.rate} Hz", w.kind, w.frames.shape[1]) for w in (one, other)]
    if formats[0] != formats[1]:
        return f"their formats differ: {formats[0]} and {formats[1]}"
    common = min(len(one.frames), len(other.frames))
    equal = equal_frames(one.frames[:common], other.frames[:common])
    if not equal.all():
        first = int(equal.argmin())
        return (
            f"only {equal.sum()} of {common} frames are equal; "
            f"the first difference is frame {first}, at {first / one.rate:.3f} s"
        )
    if len(one.frames) != len(other.frames):
        return f"the first {common} frames are equal, but there are {len(one.frames)} and {len(other.frames)}"
    return ""


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: compare-frames.py ONE.wav OTHER.wav", file=sys.stderr)
        return 2
    one, other = (wavfile.read(name) for name in sys.argv[1:])
    difference = compare(one, other)
    if difference:
        print(f"{sys.argv[2]} differs from {sys.argv[1]}: {difference}.")
        return 1
    print(f"{sys.argv[2]} equals {sys.argv[1]}: all {len(one.frames)} frames are the same, bit for bit.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
