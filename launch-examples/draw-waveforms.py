#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: draw-waveforms.py PICTURE.png [TITLE FILE.wav]…
#
# Draws the waveforms of WAV files one below the other, with common scales for time and level.

import sys

import matplotlib
import numpy as np

import wavfile

matplotlib.use("Agg")  # needs no display
from matplotlib import pyplot  # noqa: E402

COLUMNS = 1600
COLOURS = ["#1f5a96", "#b3472b", "#3b7d3a"]


def envelope(wav: wavfile.Wav, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns for each column its time in seconds, and the lowest and highest sample in any
    channel."""
    edges = np.linspace(0, len(wav.frames), min(columns, len(wav.frames)) + 1).astype(int)
    spans = [wav.samples(start, stop) for start, stop in zip(edges, edges[1:])]
    return edges[:-1] / wav.rate, np.array([s.min() for s in spans]), np.array([s.max() for s in spans])


def draw(panels: list[tuple[str, wavfile.Wav]]) -> "pyplot.Figure":
    longest = max(wav.seconds for _, wav in panels)
    figure, axes = pyplot.subplots(
        len(panels), sharex=True, sharey=True, squeeze=False, figsize=(12, 2.5 * len(panels)), layout="constrained"
    )
    for index, ((title, wav), axis) in enumerate(zip(panels, axes[:, 0])):
        # in proportion to the duration, so that all waveforms have the same resolution
        columns = max(1, round(COLUMNS * wav.seconds / longest))
        axis.fill_between(*envelope(wav, columns), color=COLOURS[index % len(COLOURS)], linewidth=0.4)
        axis.set_title(f"{title}: {wav.seconds:.2f} s", loc="left")
        axis.set_ylabel("level")
        axis.grid(alpha=0.3)
    axes[0, 0].set_xlim(0, longest)
    axes[0, 0].set_ylim(-1, 1)
    axes[-1, 0].set_xlabel("time in seconds")
    return figure


def main() -> int:
    pairs = sys.argv[2:]
    if not pairs or len(pairs) % 2:
        print("usage: draw-waveforms.py PICTURE.png [TITLE FILE.wav]…", file=sys.stderr)
        return 2
    panels = [(title, wavfile.read(name)) for title, name in zip(pairs[::2], pairs[1::2])]
    draw(panels).savefig(sys.argv[1], dpi=100, format="png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
