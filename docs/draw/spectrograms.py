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
from PIL import Image
from resamplers import RATE
from resampling import Bench, plt

NAMES = {
    "ours: sinc 6": "timescale",
    "audioresample 4": "audioresample (quality 4)",
    "pitch": "pitch rate=",
    "speed": "speed",
}


def main() -> None:
    time = np.arange(4 * RATE) / RATE
    sweep = 0.5 * np.sin(2 * np.pi * 3000 * time**2)
    figure, axes = plt.subplots(1, 4, figsize=(11, 3), sharey=True)
    with tempfile.TemporaryDirectory() as folder:
        for (name, title), axis in zip(NAMES.items(), axes):
            output = Bench(Path(folder)).through(name, sweep, Fraction(1, 2))
            output += 1e-11 * np.random.default_rng(1).standard_normal(len(output))
            axis.specgram(output, NFFT=1024, Fs=RATE, noverlap=512, window=np.kaiser(1024, 20), vmin=-200, vmax=-40, cmap="magma")
            axis.set_title(title, fontsize=9)
            axis.tick_params(labelsize=7)
    figure.supxlabel("s", fontsize=8)
    axes[0].set_ylabel("Hz", fontsize=8)
    figure.tight_layout()
    target = PICTURES / "varispeed.png"
    figure.savefig(target, dpi=80)
    with Image.open(target) as image:  # the palette reduces the file size to a third
        image.convert("RGB").quantize(48, dither=Image.Dither.NONE).save(target, optimize=True)


if __name__ == "__main__":
    main()
