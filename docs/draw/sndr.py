#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/pictures/sndr.svg: the ratio of signal to noise and distortion (SNDR) of a sine
depending on its frequency, for a factor of 10/11, 48 kHz and 32-bit floating-point samples.
Compares `timescale` with other resamplers, and its quality levels with each other."""

import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from drawing import chart, save_chart
from resamplers import RATE
from resampling import Bench, sndr

FACTOR = Fraction(10, 11)
HERTZ = [500, 1000, 2000, 4000, 6000, 8000, 10000, 12000, 14000, 16000, 18000, 19500]
PANELS = {
    "beside others": {
        "ours: sinc 6": ("timescale", "#2f81b7"),
        "SoX rate -v": ("SoX rate -v", "#8250df"),
        "audioresample 10": ("audioresample 10", "#3f8f4f"),
        "audioresample 4": ("audioresample 4", "#6fbf7f"),
        "pitch": ("pitch rate=", "#e0a33a"),
        "speed": ("speed", "#c4502f"),
    },
    "interpolation and quality": {
        "ours: sinc 10": ("sinc, quality 10", "#1b5e86"),
        "ours: sinc 6": ("sinc, quality 6", "#2f81b7"),
        "ours: sinc 4": ("sinc, quality 4", "#7fb8d9"),
        "ours: cubic": ("cubic", "#3f8f4f"),
        "ours: linear": ("linear", "#c4502f"),
    },
}


def curve(bench: Bench, name: str) -> list[float]:
    figures = []
    for hertz in HERTZ:
        frequency = 2 * np.pi * hertz / RATE
        wave = 0.5 * np.sin(frequency * np.arange(RATE // 4))
        figures.append(sndr(bench.through(name, wave, FACTOR), frequency / float(FACTOR)))
    return figures


def main() -> None:
    figure, axes = chart(2, 9.5, 4)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for axis, (title, names) in zip(axes, PANELS.items()):
            for name, (label, colour) in names.items():
                axis.plot(np.array(HERTZ) / 1000, curve(bench, name), color=colour, label=label, marker=".")
            axis.set_title(title, fontsize=10)
            axis.set_xlabel("kHz")
            axis.set_ylim(0, 165)
            axis.legend(fontsize=8, framealpha=0, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    axes[0].set_ylabel("SNDR, dB")
    save_chart(figure, "sndr.svg")


if __name__ == "__main__":
    main()
