# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of samples, and their files."""

import warnings
from pathlib import Path

import numpy as np
from scipy.io import wavfile

from .score import RATE


def decibels(power):
    """10 lg of a power or a ratio of powers; −200 for 0."""
    return 10 * np.log10(np.maximum(power, 1e-20))


def fade(samples: np.ndarray, milliseconds: float = 20) -> np.ndarray:
    """Fades in and out with a squared quarter of a sine."""
    count = int(RATE * milliseconds / 1000)
    ramp = np.sin(np.linspace(0, np.pi / 2, count)) ** 2
    ramp = ramp.reshape(-1, *[1] * (samples.ndim - 1))
    faded = samples.copy()
    faded[:count] *= ramp
    faded[-count:] *= ramp[::-1]
    return faded


def mono(samples: np.ndarray) -> np.ndarray:
    return samples if samples.ndim == 1 else samples.mean(1)


def fit(samples: np.ndarray, frames: int) -> np.ndarray:
    """Returns the samples, truncated or zero-padded to that length."""
    missing = max(0, frames - len(samples))
    return np.concatenate([samples, np.zeros((missing, *samples.shape[1:]))])[:frames]


def earlier(samples: np.ndarray, frames: int) -> np.ndarray:
    """Returns the samples, shifted by that many frames towards the start, with the same length."""
    gap = np.zeros((min(abs(frames), len(samples)), *samples.shape[1:]))
    if frames >= 0:
        return np.concatenate([samples[frames:], gap])
    return np.concatenate([gap, samples[:frames]])


def read_wav(path: Path) -> np.ndarray:
    """Returns samples from −1 to 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wavfile.WavFileWarning)  # chunks that scipy does not know
        _, samples = wavfile.read(path)
    scale = {"int16": 2.0**15, "int32": 2.0**31}.get(samples.dtype.name, 1.0)
    return samples / scale


def write_wav(path: Path, samples: np.ndarray, bits: int = 32) -> None:
    """Writes 32-bit floats, or 16-bit integers."""
    if bits == 16:
        wavfile.write(path, RATE, np.clip(np.round(samples * 32767), -32768, 32767).astype(np.int16))
    else:
        wavfile.write(path, RATE, samples.astype(np.float32))
