# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Voices that can speak the same sentence at any pitch, with the same formants."""

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

from .audio import read_wav
from .score import RATE, Score, held_out
from .voice import speak

FLITE_RATE = 16_000
MEAN_HZ, DEVIATION_HZ = 100, 14
SENTENCE = "The quick brown fox jumps over the lazy dog, while eight small voices sang in the long hall."


@dataclass(frozen=True)
class Speaker:
    """A voice. `render(semitones)` speaks the sentence at another pitch. `needs`: see
    `peers.Peer`."""

    name: str
    render: Callable[[float], np.ndarray]
    needs: str = ""


def diphones(semitones: float) -> np.ndarray:
    """Speaks with Flite's voice kal16, which filters the residual of diphones by linear prediction.
    Only the pitch of the residual changes; the filter, and so the formants, stay. Raises
    CalledProcessError if Flite fails."""
    ratio = 2 ** (semitones / 12)
    pitch = {"int_f0_target_mean": MEAN_HZ * ratio, "int_f0_target_stddev": DEVIATION_HZ * ratio}
    settings = [word for name, hz in pitch.items() for word in ("--setf", f"{name}={hz:.6f}")]
    with tempfile.TemporaryDirectory(prefix="speakers") as folder:
        sound = Path(folder, "sound.wav")
        words = ["flite", "-voice", "kal16", *settings, "-t", SENTENCE, "-o", str(sound)]
        subprocess.run(words, check=True, capture_output=True)
        return resample_poly(read_wav(sound), RATE // FLITE_RATE, 1)


def of_score(name: str, score: Score) -> Speaker:
    return Speaker(name, lambda semitones: speak(score, 1, semitones).samples)


SPEAKERS = [
    of_score("voice", Score()),
    of_score("another voice", held_out(2)),
    Speaker("diphones", diphones, "program:flite"),
]
