#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/pictures/waveforms.svg: the waveforms of the sample, of the reversed sample, and of
the sample played more slowly at the same pitch."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from drawing import ENVIRONMENT, SAMPLE, Drawing
from wavfile import read

COLUMNS_PER_SECOND = 40
SCALE = 61  # pixels per second
PANELS = [
    ("a file", "blue", ""),
    ("revbuf direction=reverse", "red", "! revbuf direction=reverse"),
    ("timescale factor=1.5 keep-pitch=true", "green", "! timescale factor=1.5 keep-pitch=true"),
]


def rendered(elements: str) -> tuple[np.ndarray, int]:
    """The loudest sample of each column, and the sample rate."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "out.wav")
        pipeline = f"filesrc location={SAMPLE} ! decodebin ! audioconvert {elements} ! wavenc ! filesink location={target}"
        subprocess.run(["gst-launch-1.0", "-q", *pipeline.split()], env=ENVIRONMENT, check=True)
        wav = read(target)
        samples = np.abs(wav.samples(0, len(wav.frames))).max(axis=1)
    edges = np.arange(0, len(samples), wav.rate // COLUMNS_PER_SECOND)
    return np.maximum.reduceat(samples, edges), wav.rate


def main() -> None:
    drawing = Drawing(480, 330, "A file, backwards, and half as long again")
    for row, (title, colour, elements) in enumerate(PANELS):
        top = 110 * row
        peaks, _ = rendered(elements)
        seconds = len(peaks) / COLUMNS_PER_SECOND
        drawing.text(8, top + 18, title, "mono")
        drawing.text(472, top + 18, f"{seconds:.1f} s", "small", "end")
        step = SCALE / COLUMNS_PER_SECOND
        bars = (f"M{8 + column * step:.1f} {top + 64 - 40 * peak:.1f}v{80 * peak + 1:.1f}" for column, peak in enumerate(peaks))
        drawing.add("path", f"{colour} stroke", d="".join(bars), style=f"stroke-width:{step:.2f}")
    drawing.save("waveforms.svg")


if __name__ == "__main__":
    main()
