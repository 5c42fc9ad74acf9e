#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/pictures/varispeed.png: spectrograms of a sweep over the whole band that is played twice as
fast, by `timescale` and by other elements. The correct result is one line up to the new end of the band;
every other line is an audible alias."""

import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from drawing import PICTURES
from pictures import save_panels
from resamplers import RATE
from resampling import Bench

NAMES = {
    "ours: sinc 6": "timescale",
    "audioresample 4": "audioresample (quality 4)",
    "pitch": "pitch rate=",
    "speed": "speed",
}
HOW = {"frames": 1024, "top_hz": RATE / 2, "overlap": 1 / 2, "noise": 1e-11, "vmin": -200, "window": np.kaiser(1024, 20)}


def main() -> None:
    time = np.arange(4 * RATE) / RATE
    sweep = 0.5 * np.sin(2 * np.pi * 3000 * time**2)
    panels = []
    with tempfile.TemporaryDirectory() as folder:
        for name, title in NAMES.items():
            output = Bench(Path(folder)).through(name, sweep, Fraction(1, 2))
            panels.append({"samples": output, "title": title, **HOW})
    save_panels(panels, "A sweep up to 24 kHz, twice as fast", PICTURES / "varispeed.png")


if __name__ == "__main__":
    main()
