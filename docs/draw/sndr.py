#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: sndr.py [--measure]

Draws docs/pictures/sndr.svg from the table of docs/internals/measurements.md: the ratio of signal to noise and
distortion (SNDR) of a sine depending on its frequency, for `timescale`, other resamplers, and the quality levels.
--measure first measures the table, in a minute."""

import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from drawing import ROOT, chart, draw_lines, save_chart
from resamplers import RATE
from resampling import Bench, sndr
from stretch import provenance
from stretch.report import table

PAGE, HEADING = ROOT / "docs/internals/measurements.md", "## Resampling by frequency"
FACTOR = Fraction(10, 11)
HERTZ = [1000, 2000, 4000, 8000, 12000, 16000, 19500]
NAMES = {
    "ours: sinc 6": "sinc, quality 6",
    "SoX rate -v": "SoX rate -v",
    "audioresample 10": "audioresample 10",
    "audioresample 4": "audioresample 4",
    "pitch": "pitch",
    "speed": "speed",
    "ours: sinc 10": "sinc, quality 10",
    "ours: sinc 4": "sinc, quality 4",
    "ours: cubic": "cubic",
    "ours: linear": "linear",
}
PANELS = {
    "beside others: SNDR, dB": ["sinc, quality 6", "SoX rate -v", "audioresample 10", "audioresample 4", "pitch", "speed"],
    "interpolation and quality: SNDR, dB": ["sinc, quality 6", "sinc, quality 10", "sinc, quality 4", "cubic", "linear"],
}


def curve(bench: Bench, name: str) -> list[float]:
    figures = []
    for hertz in HERTZ:
        frequency = 2 * np.pi * hertz / RATE
        wave = 0.5 * np.sin(frequency * np.arange(RATE // 4))
        figures.append(sndr(bench.through(name, wave, FACTOR), frequency / float(FACTOR)))
    return figures


def measure() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        rows = [[label, *(f"{figure:.0f}" for figure in curve(bench, name))] for name, label in NAMES.items()]
    text = table(["kHz", *(f"{hertz / 1000:g}" for hertz in HERTZ)], rows)
    picture = "![The same as lines, compared with others and by quality](../pictures/sndr.svg)"
    provenance.put(PAGE, HEADING, f"The SNDR of the sine at more frequencies, in dB:\n\n{text}\n{provenance.line('docs/draw/sndr.py --measure')}\n\n{picture}")


def main() -> None:
    if "--measure" in sys.argv[1:]:
        measure()
    text = PAGE.read_text().partition(f"{HEADING}\n")[2].partition("<sub>")[0]
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    figures = {name: [float(cell) for cell in cells] for name, *cells in rows}
    panels, axes = chart(2, 7)
    for axis, (title, names) in zip(axes, PANELS.items()):
        draw_lines(axis, [float(khz) for khz in head[1:]], {name: figures[name] for name in names})
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("kHz")
    save_chart(panels, "sndr.svg")


if __name__ == "__main__":
    main()
