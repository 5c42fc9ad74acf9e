# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A small spectrogram of a sound: time from left to right, frequency upwards, level as
brightness. The page adds the axes."""

import numpy as np
from PIL import Image

from .audio import decibels
from .score import RATE

WIDTH, HEIGHT = 400, 160  # pixels
LOWEST_DB, HIGHEST_DB = -90, -10  # of a sine at full scale
COLOURS = np.array([[8, 6, 24], [70, 20, 105], [165, 45, 95], [235, 105, 50], [252, 195, 80], [255, 252, 220]])


def spectrogram(samples: np.ndarray, window: int, top_hz: float) -> Image.Image:
    """Draws frequencies up to `top_hz`, with a window of `window` frames."""
    middles = np.linspace(0, len(samples), WIDTH, endpoint=False).astype(int)
    padded = np.pad(samples, window // 2)
    curve = np.hanning(window)
    size = 4 * window if window < 1024 else window
    spectra = np.stack([np.fft.rfft(padded[at : at + window] * curve, size) for at in middles])
    level = decibels(4 * np.abs(spectra) ** 2 / np.sum(curve) ** 2)
    edges = np.linspace(0, top_hz / RATE * size, HEIGHT + 1)
    rows = [level[:, int(low) : max(int(high), int(low) + 1)].max(1) for low, high in zip(edges, edges[1:])]
    share = np.clip((np.stack(rows[::-1]) - LOWEST_DB) / (HIGHEST_DB - LOWEST_DB), 0, 1)
    places = np.linspace(0, 1, len(COLOURS))
    pixels = np.stack([np.interp(share, places, COLOURS[:, channel]) for channel in range(3)], axis=-1)
    return Image.fromarray(pixels.astype(np.uint8))
