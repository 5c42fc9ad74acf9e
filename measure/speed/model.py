# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reference of tape playback, in 64-bit arithmetic: a band-limited reading of a wave at positions in
closed form (timespeed.h), and the resamplers of other programs at the same positions."""

import numpy as np
from scipy.special import i0

# half the kernel in frames, and attenuation in dB, of some qualities (SincKernel.swift)
QUALITIES = {6: (96, 126.5), 10: (136, 144.2)}


def kernel(distance: np.ndarray, quality: int) -> np.ndarray:
    """The kernel h (SincKernel.swift) at distances in frames of the output's band."""
    half, attenuation = QUALITIES[quality]
    beta = 0.1102 * (attenuation - 8.7)
    cutoff = 1 - (attenuation - 7.95) / (14.36 * 2 * half)
    way = distance / half
    inside = np.abs(way) <= 1
    window = np.where(inside, i0(beta * np.sqrt(np.maximum(1 - way * way, 0))) / i0(beta), 0)
    return window * cutoff * np.sinc(cutoff * distance)


def read(wave: np.ndarray, whole: np.ndarray, fraction: np.ndarray, speed: np.ndarray, quality: int) -> np.ndarray:
    """Reads `wave` at the positions `whole` + `fraction`, at these speeds: the sum of the frames times
    h ((k - p) / max (|s|, 1)), divided by the sum of the weights."""
    half = QUALITIES[quality][0]
    out = np.empty(len(whole))
    for first in range(0, len(whole), 512):
        n = slice(first, first + 512)
        scale = np.maximum(np.abs(speed[n]), 1)
        reach = int(np.ceil(half * scale.max())) + 1
        near = np.arange(-reach, reach + 1)
        frames = whole[n, None] + near
        weights = kernel((near - fraction[n, None]) / scale[:, None], quality)
        inside = (frames >= 0) & (frames < len(wave))
        values = np.where(inside, wave[np.clip(frames, 0, len(wave) - 1)], 0)
        out[n] = (values * weights).sum(axis=1) / weights.sum(axis=1)
    return out


class Tape:
    """The position of a tape in 2^-64 frames, whose speed changes linearly from buffer to buffer."""

    ONE = 1 << 64

    def __init__(self, frame: int, speed: float):
        self.position = frame * self.ONE
        self.speed = speed

    def ramp(self, target: float, n_frames: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Moves on by a buffer in which the speed becomes `target`. Returns the whole part and the
        fraction of each position, and the speeds."""
        base, rest = divmod(self.position, self.ONE)
        n = np.arange(n_frames)
        u = n / n_frames
        path = rest / self.ONE + n * (self.speed + u * (target - self.speed) / 2)
        whole = np.floor(path).astype(np.int64)
        speeds = self.speed + u * (target - self.speed)
        mean = (int(self.speed * self.ONE) + int(target * self.ONE)) // 2
        self.position += n_frames * mean
        self.speed = target
        return base + whole, path - whole, speeds
