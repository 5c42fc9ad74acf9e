# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions for arrays of samples, and for WAV files."""

import warnings
from pathlib import Path

import numpy as np
from scipy.io import wavfile

from .score import RATE


def decibels(power):
    """Converts a power, or a ratio of powers, to dB; 0 becomes −200 dB."""
    return 10 * np.log10(np.maximum(power, 1e-20))


def fade(samples: np.ndarray, milliseconds: float = 20) -> np.ndarray:
    """Returns the samples with a fade at both ends, a quarter of a sine squared."""
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
    """Returns the samples, truncated or padded with zeros to `frames`."""
    missing = max(0, frames - len(samples))
    return np.concatenate([samples, np.zeros((missing, *samples.shape[1:]))])[:frames]


def earlier(samples: np.ndarray, frames: int) -> np.ndarray:
    """Returns the samples, shifted by `frames` towards the start (if negative, towards the end), in
    an array of the same length."""
    gap = np.zeros((min(abs(frames), len(samples)), *samples.shape[1:]))
    if frames >= 0:
        return np.concatenate([samples[frames:], gap])
    return np.concatenate([gap, samples[:frames]])


def read_wav(path: Path) -> np.ndarray:
    """Reads samples; full scale is 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wavfile.WavFileWarning)  # unknown chunks
        _, samples = wavfile.read(path)
    scale = {"int16": 2.0**15, "int32": 2.0**31}.get(samples.dtype.name, 1.0)
    return samples / scale


def write_wav(path: Path, samples: np.ndarray, bits: int = 32) -> None:
    """Writes samples as 32-bit floats, or as 16-bit integers if `bits` is 16."""
    if bits == 16:
        wavfile.write(path, RATE, np.clip(np.round(samples * 32767), -32768, 32767).astype(np.int16))
    else:
        wavfile.write(path, RATE, samples.astype(np.float32))
