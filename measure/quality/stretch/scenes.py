# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sounds of the web page "Before and after", which can be played at any tempo."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .applause import applause
from .audio import fade, mono
from .distance import LONG, SHORT, Resolution, distance
from .recordings import decoded
from .score import RATE, Partial, Score
from .soundfont import DRUMS, Note, played
from .tones import tone, tones

SAME_SCORE = "the same notes, played at that tempo"
PLAYED = "our own score, played by FluidSynth with the soundfont FluidR3 GM (MIT licence)."
READER = Path("/usr/share/pocketsphinx/test/data/librivox/sense_and_sensibility_01_austen_64kb-0930.wav")  # package pocketsphinx-testdata
BAND = Path("/usr/share/games/fretsonfire/data/songs/sectoid/Feelings")  # package fretsonfire-songs-sectoid
BAND_SECONDS = (153.2, 157.4)


@dataclass(frozen=True)
class Judge:
    """How versions of a sound are compared. Either `figure` compares an output with the ideal, or,
    if no ideal is known, the figures are taken from the column `column` in docs/internals/stretch.md."""

    about: str
    figure: Callable[[np.ndarray, np.ndarray, float], float] | None = None
    column: str = ""
    is_higher_better: bool = False


def by_distance(resolution: Resolution) -> Judge:
    about = (
        f"mean difference between the spectrogram and that of the ideal, in windows of {1000 * resolution.window_s:.0f} ms: "
        "lower is better"
    )
    return Judge(about, lambda output, ideal, factor: distance(output, ideal, resolution))


def by_bench(column: str, signal: str, is_higher_better: bool = False) -> Judge:
    order = "higher" if is_higher_better else "lower"
    about = f"{column} of {signal}, from the page Stretch: {order} is better"
    return Judge(about, column=column, is_higher_better=is_higher_better)


@dataclass(frozen=True)
class Scene:
    """A sound and its factor; -1 means backwards. `render` plays it at the tempo of a factor, a recording always
    at 1. `listen` says what to pay attention to, `source` where the sound comes from."""

    id: str
    title: str
    factor: float
    render: Callable[[float], np.ndarray]
    listen: str
    source: str
    judge: Judge
    ideal: str = SAME_SCORE
    window: int = 2048
    top_hz: float = 8000
    kilobits: int = 48


def organ() -> tuple[Partial, ...]:
    """Returns a major chord with just intervals: partials coincide, or are 36 Hz apart."""
    amplitudes: dict[float, float] = {}
    for fundamental in (4, 5, 6, 8):
        for k in range(1, 9):
            amplitudes[fundamental * k] = amplitudes.get(fundamental * k, 0) + 0.8**k / k
    return tuple((36.7 * place, amplitude) for place, amplitude in sorted(amplitudes.items()))


def chord(factor: float) -> np.ndarray:
    return tones(Score(), organ(), factor, 3)


def chord_purity(output: np.ndarray, ideal: np.ndarray, factor: float) -> float:
    return tone(output, chord(1), organ(), factor)["sndr"]


def castanets(factor: float) -> np.ndarray:
    places = [0, 1, 1.5, 2, 3, 3.25, 3.5, 4, 5, 5.5, 6, 6.25, 6.5, 6.75, 7, 8, 9, 9.5, 10, 11]
    notes = [Note(DRUMS, 85, 0.15 + 0.22 * place, 0.1, 120 if place % 2 == 0 else 95) for place in places]
    return mono(played(notes, {}, factor, 3))


def reader(factor: float) -> np.ndarray:
    return fade(decoded(READER)[:, 0], 5)


def band(factor: float) -> np.ndarray:
    """The game has the guitar in a file of its own."""
    start, end = (int(second * RATE) for second in BAND_SECONDS)
    return fade(sum(decoded(BAND / f"{name}.ogg")[start:end] for name in ("song", "guitar")))


def clapping(factor: float) -> np.ndarray:
    return applause(Score(), factor)


def song(factor: float) -> np.ndarray:
    """Two bars with drums, bass, electric piano and flute."""
    beat, notes = 0.5, []
    for bar, (root, chord_keys) in enumerate([(33, (57, 60, 64, 67)), (29, (57, 60, 65, 69))]):
        start = 0.05 + 4 * beat * bar
        for eighth in range(8):
            notes.append(Note(DRUMS, 42, start + eighth * beat / 2, 0.1, 85 if eighth % 2 == 0 else 60))
        notes += [Note(DRUMS, 36, start + at * beat, 0.1, 115) for at in (0, 1.5, 2)]
        notes += [Note(DRUMS, 38, start + at * beat, 0.1, 105) for at in (1, 3)]
        notes += [Note(0, root + 12 * (step % 2), start + step * beat, 0.85 * beat, 105) for step in range(4)]
        notes += [Note(1, key, start, 3.8 * beat, 75) for key in chord_keys]
    tune = [(76, 0), (74, 1), (72, 1.5), (74, 2), (76, 3), (77, 4), (76, 5), (72, 5.5), (69, 6)]
    ends = [place for _, place in tune[1:]] + [7.8]
    notes += [Note(2, key, 0.05 + at * beat, (end - at) * beat, 95) for (key, at), end in zip(tune, ends)]
    return played(notes, {0: 33, 1: 4, 2: 73}, factor, 4.2)


STRETCHED = [
    Scene(
        "chord", "A chord", 1.5, chord,
        "Four notes of an organ. Listen for a flutter and for roughness that the original does not have.",
        "sines, from our own score.",
        Judge("level of the partials relative to everything else, in dB: higher is better", chord_purity, is_higher_better=True),
        ideal="the same chord, held longer", window=8192, top_hz=2000,
    ),
    Scene(
        "castanets", "Castanets", 1.5, castanets,
        "Each stroke should stay as short as it was, and be at its correct time. Listen for strokes that are "
        "doubled or soft, or that begin with a hiss.",
        PLAYED,
        by_distance(SHORT), window=256, top_hz=16000,
    ),
    Scene(
        "voice", "A recorded voice", 1.5, reader, "Listen for an echo as in a bathroom, and for a buzz.",
        "“He might even have been made amiable himself”: Jane Austen, Sense and Sensibility, read for LibriVox. A file of "
        "Debian's pocketsphinx-testdata, © Carnegie Mellon University, licence BSD-2-Clause.",
        by_bench("voice dB", "a synthetic voice"), window=768,
    ),
    Scene(
        "band", "A recorded band", 1.5, band, "Listen to the guitar, which bends its notes, and to the drums under it.",
        "“Feelings”, 2:33 to 2:37, composed and performed by Sectoid. From Debian's fretsonfire-songs-sectoid, © 2006, 2007 "
        "Carlos Viola Iborra, MIT licence.",
        by_bench("song dB", "a song from our own score"), window=2048, kilobits=80,
    ),
    Scene(
        "applause", "Applause", 1.5, clapping,
        "Fourteen people clap. Single claps should stay single claps. Long windows turn them into hiss, so Retrograde "
        "uses short windows if claps are dense.",
        "noise, from our own score.",
        by_distance(SHORT), ideal="the same claps, later", window=256, top_hz=12000,
    ),
    Scene(
        "song", "A song, faster", 0.75, song, "Listen to the drums, and to the bass under them.", PLAYED,
        by_distance(LONG), window=1024, kilobits=80,
    ),
    Scene(
        "song", "A song, slower", 1.5, song, "Listen to the drums, and to the bass under them.", PLAYED,
        by_distance(LONG), window=1024, kilobits=80,
    ),
]  # fmt: skip

BACKWARDS = Scene(
    "mp3", "An MP3, backwards", -1, song,
    "After a seek with rate −1, stock GStreamer outputs the last block of a file first, but each block forwards. Only the "
    "sinks of sound cards reverse the blocks: a file, an encoder or an effect gets the sound that you hear here.",
    "the song, encoded by LAME.",
    Judge("% of the frames that differ from the ideal by more than a thousandth: lower is better"), window=1024, kilobits=80,
)  # fmt: skip
