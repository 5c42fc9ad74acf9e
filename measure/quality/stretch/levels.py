# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sounds that begin abruptly after silence, and how loud they are after their onsets."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.signal import butter, lfilter

from . import recordings, soundfont
from .audio import fit, mono
from .score import RATE, Score

STEP_S = 0.01
STEPS = 8  # of 10 ms after an onset, in the output
PIECE_S = 0.6  # from an onset to the silence before the next one
SILENCE_S = 0.5
MUSIC = ("guitar", "compus", "safari", "garzul", "slide", "lunar")
# names and programs of General MIDI
INSTRUMENTS = {"piano": 0, "marimba": 12, "organ": 19, "guitar": 24}


@dataclass(frozen=True)
class Onsets:
    """A sound with onsets at these frames. `is_steady`: the level of each piece stays as it is, so you can
    compare with all of the piece."""

    samples: np.ndarray
    frames: list[int]
    is_steady: bool = False


def joined(pieces: list[np.ndarray], is_steady: bool = False) -> Onsets:
    """Puts silence before each piece, and after the last one."""
    gap, parts, frames = np.zeros(int(SILENCE_S * RATE)), [], []
    for piece in pieces:
        parts.append(gap)
        frames.append(sum(map(len, parts)))
        parts.append(piece)
    return Onsets(np.concatenate([*parts, gap]), frames, is_steady)


def tones(frequencies_hz: list[float], score: Score) -> Onsets:
    """The same partials twelve times, with other phases each time."""
    t, random = np.arange(int(PIECE_S * RATE)) / RATE, score.random(20)
    pieces = [
        sum(0.5 / len(frequencies_hz) * np.sin(2 * np.pi * (hz * t + random.uniform())) for hz in frequencies_hz)
        for _ in range(12)
    ]
    return joined(pieces, True)


def noise(score: Score) -> Onsets:
    """Noise up to 8 kHz, so that none is lost an octave higher."""
    wave = lfilter(*butter(4, 8000, fs=RATE), score.random(21).standard_normal((36, int(PIECE_S * RATE))))
    return joined(list(0.1 * wave), True)


def cuts(score: Score) -> Onsets:
    """Recordings of music, each cut in the middle of a sound six times. Raises LookupError without them."""
    random, frames, pieces = score.random(22), int(PIECE_S * RATE), []
    for count, name in enumerate(MUSIC, 1):
        if (recording := recordings.recording(name)) is None:
            raise LookupError("sonic-pi-samples is not installed")
        music = mono(recording)
        loud = 0.3 * np.sqrt(np.mean(music**2))
        while len(pieces) < 6 * count:
            start = int(random.integers(0, len(music) - frames))
            if np.sqrt(np.mean(music[start : start + int(0.1 * RATE)] ** 2)) > loud:
                pieces.append(music[start : start + frames])
    return joined(pieces)


def notes(program: int) -> Onsets:
    """Twelve notes of a soundfont, cut to begin at half of their height, so that they begin abruptly."""
    pieces = []
    for step in range(12):
        played = soundfont.played([soundfont.Note(0, 48 + 2 * step, 0.1, 1.5)], {0: program}, 1, 2)
        wave = mono(played)
        start = int(np.argmax(np.abs(wave) > 0.5 * np.abs(wave).max()))
        pieces.append(fit(wave[start:], int(PIECE_S * RATE)))
    return joined(pieces)


SOUNDS: dict[str, Callable[[Score], Onsets]] = {
    "110 Hz": lambda score: tones([110], score),
    "440 Hz": lambda score: tones([440], score),
    "3 kHz": lambda score: tones([3000], score),
    "six partials": lambda score: tones([220 * k for k in range(1, 7)], score),
    "noise": noise,
    "music": cuts,
    **{name: lambda score, program=program: notes(program) for name, program in INSTRUMENTS.items()},
}


def power(samples: np.ndarray, start: float, end: float) -> float:
    first = max(round(start), 0)
    return float(np.mean(samples[first : max(round(end), first + 1)] ** 2)) + 1e-12


def after_onsets(output: np.ndarray, given: Onsets, factor: float) -> list[float]:
    """The level in steps of 10 ms after the onsets, in dB of the input's: the median of all onsets for sounds
    that change, and the mean power for steady ones. The input's level is that of all of the piece if it's
    steady, and otherwise that of 10 ms around the place that the time map gives."""
    step, levels = STEP_S * RATE, []
    for index in range(STEPS):
        ours, wanted = [], []
        for onset in given.frames:
            place = (index + 0.5) * step / factor
            first = 0 if given.is_steady else max(place - step / 2, 0)
            last = PIECE_S * RATE if given.is_steady else first + step
            wanted.append(power(given.samples, onset + first, onset + last))
            ours.append(power(output, onset * factor + index * step, onset * factor + (index + 1) * step))
        each = 10 * np.log10(np.array(ours) / np.array(wanted))
        levels.append(10 * np.log10(np.mean(ours) / np.mean(wanted)) if given.is_steady else np.median(each))
    return [float(level) for level in levels]
