# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: bindings.py signalsmith|bungee IN.wav OUT.wav FACTOR [SEMITONES]

Stretches a file with a library that has Python bindings (python-stretch or bungee-python). Must be
run by a Python in which they are installed."""

import sys

import numpy as np
from scipy.io import wavfile


def signalsmith(samples: np.ndarray, rate: int, factor: float, semitones: float) -> np.ndarray:
    from python_stretch.Signalsmith import Stretch

    stretch = Stretch()
    stretch.preset(samples.shape[1], rate)
    stretch.setTimeFactor(1 / factor)
    stretch.setTransposeSemitones(semitones)
    return stretch.process(np.ascontiguousarray(samples.T)).T


def bungee(samples: np.ndarray, rate: int, factor: float, semitones: float) -> np.ndarray:
    from bungee_python.bungee import Bungee

    stretch = Bungee(rate, samples.shape[1], 1 / factor, 2 ** (semitones / 12), 0)
    output = np.asarray(stretch.process(np.ascontiguousarray(samples)))
    return output.reshape(-1, samples.shape[1])


def main() -> None:
    if len(sys.argv) not in (5, 6) or sys.argv[1] not in ("signalsmith", "bungee"):
        sys.exit(__doc__)
    name, source, target, factor = sys.argv[1:5]
    semitones = float(sys.argv[5]) if len(sys.argv) == 6 else 0.0
    rate, samples = wavfile.read(source)
    library = {"signalsmith": signalsmith, "bungee": bungee}[name]
    output = library(samples.reshape(len(samples), -1).astype(np.float32), rate, float(factor), semitones)
    wavfile.write(target, rate, (output if samples.ndim == 2 else output[:, 0]).astype(np.float32))


if __name__ == "__main__":
    main()
