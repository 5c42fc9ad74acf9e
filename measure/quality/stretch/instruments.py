# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Instruments and textures that can be played at any tempo: from a soundfont, and from models whose
onsets ("strokes") are known."""

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.signal import fftconvolve

from .audio import fit, read_wav
from .score import RATE

FONT = Path("/usr/share/sounds/sf2/FluidR3_GM.sf2")
TICKS_PER_SECOND = 10_000
DRUMS = 9  # MIDI channel

# start in seconds, duration in seconds, MIDI key, velocity
Note = tuple[float, float, int, int]


@dataclass(frozen=True)
class Sound:
    """A sound. `render(factor)` plays its score `factor` times as slowly. `strokes(factor)` returns
    the times of its onsets in seconds; `None` if they are unknown."""

    name: str
    render: Callable[[float], np.ndarray]
    strokes: Callable[[float], np.ndarray] | None = None


# ---- a soundfont


def variable(number: int) -> bytes:
    """Encodes a number of variable length for MIDI: seven bits per byte, the highest first. All
    bytes except for the last have the eighth bit set."""
    rest = [number & 0x7F]
    while number := number >> 7:
        rest.append(number & 0x7F | 0x80)
    return bytes(reversed(rest))


def midi_file(notes: list[Note], program: int, channel: int, factor: float) -> bytes:
    """Returns a standard MIDI file with one track, in which a tick is 0.1 ms."""
    events = [(0, 0, bytes([0xC0 | channel, program]))]
    for second, seconds, key, velocity in notes:
        begin, end = (round(at * factor * TICKS_PER_SECOND) for at in (second, second + seconds))
        events += [(begin, 2, bytes([0x90 | channel, key, velocity])), (end, 1, bytes([0x80 | channel, key, 0]))]
    track, last = b"\x00\xff\x51\x03" + (500_000).to_bytes(3, "big"), 0
    for tick, _, event in sorted(events):
        track += variable(tick - last) + event
        last = tick
    track += b"\x00\xff\x2f\x00"
    head = b"".join(number.to_bytes(2, "big") for number in (0, 1, TICKS_PER_SECOND // 2))
    return b"MThd" + (6).to_bytes(4, "big") + head + b"MTrk" + len(track).to_bytes(4, "big") + track


def play(notes: list[Note], program: int, channel: int, seconds: float, factor: float) -> np.ndarray:
    """Plays notes with fluidsynth. Raises CalledProcessError if it fails."""
    with tempfile.TemporaryDirectory(prefix="instruments") as folder:
        score, sound = Path(folder, "score.mid"), Path(folder, "sound.wav")
        score.write_bytes(midi_file(notes, program, channel, factor))
        dry = "-R 0 -C 0 -g 0.45 -ni -q -T wav -O float".split()
        words = ["fluidsynth", *dry, "-r", str(RATE), "-F", str(sound), str(FONT), str(score)]
        subprocess.run(words, check=True, capture_output=True)
        return fit(read_wav(sound), int(seconds * factor * RATE))


def arpeggio(lowest: int, step_s: float, held: float, seconds: float, seed: int) -> list[Note]:
    """Returns broken chords over three octaves, with a bass note every eight steps. Each note lasts
    `held` steps."""
    random, chords, notes = np.random.default_rng(seed), ((0, 4, 7), (5, 9, 12), (7, 11, 14), (-3, 0, 4)), []
    for count, second in enumerate(np.arange(0.2, seconds - 1, step_s)):
        chord = chords[int(second / 1.6) % 4]
        key = lowest + chord[count % 3] + 12 * (count // 3 % 3)
        notes.append((second, held * step_s, key, int(random.integers(55, 115))))
        if count % 8 == 0:
            notes.append((second, 6 * step_s, lowest + chord[0] - 12, 90))
    return notes


def chorale(lowest: int, seconds: float) -> list[Note]:
    chords = ((0, 4, 7), (5, 9, 12), (7, 11, 14), (-3, 0, 4))
    return [
        (second, 0.8, lowest + above, 90)
        for count, second in enumerate(np.arange(0.2, seconds - 1, 0.85))
        for above in (*chords[count % 4], chords[count % 4][0] - 12)
    ]


def melody(lowest: int, seconds: float, seed: int) -> list[Note]:
    random, scale, second, degree, notes = np.random.default_rng(seed), (0, 2, 4, 5, 7, 9, 11), 0.2, 3, []
    while second < seconds - 1:
        length = float(random.choice([0.2, 0.3, 0.45, 0.7]))
        degree = int(np.clip(degree + random.integers(-2, 3), 0, 10))
        notes.append(
            (second, 0.97 * length, lowest + scale[degree % 7] + 12 * (degree // 7), int(random.integers(80, 115)))
        )
        second += length
    return notes


def beat(seconds: float, seed: int) -> list[Note]:
    random, notes = np.random.default_rng(seed), []
    for count, second in enumerate(np.arange(0.2, seconds - 0.5, 0.145)):
        place = count % 16
        notes.append((second, 0.1, 46 if place == 14 else 42, 60 + 30 * (count % 2 == 0)))
        if place in (0, 6, 10):
            notes.append((second, 0.1, 36, 112))
        if place in (4, 12) or random.random() < 0.2:
            notes.append((second, 0.1, 38, 115 if place in (4, 12) else 40))
    return notes


def of_font(name: str, program: int, notes: list[Note], channel: int = 0, seconds: float = 6) -> Sound:
    return Sound(name, lambda factor: play(notes, program, channel, seconds, factor))


# ---- models


def put(sound: np.ndarray, second: float, stroke: np.ndarray, pan: float = 0) -> None:
    """Adds a stroke to a stereo sound at a time in seconds. `pan`: −1 (left) to 1 (right)."""
    start = round(second * RATE)
    count = min(len(stroke), len(sound) - start)
    angle = (pan + 1) * np.pi / 4
    sound[start : start + count] += stroke[:count, None] * (np.cos(angle), np.sin(angle))


def bar_strokes(factor: float) -> np.ndarray:
    random = np.random.default_rng(41)
    return factor * (0.2 + np.cumsum(random.choice([0.15, 0.22, 0.4], 20)))


def bars(factor: float) -> np.ndarray:
    """Struck bars, as of a glockenspiel: the partials of a free bar, and 2 ms of noise at each
    stroke. The decay is `factor` times as long as in the original."""
    random, sound = np.random.default_rng(42), np.zeros((int(6.5 * factor * RATE), 2))
    at = np.arange(int(3 * factor * RATE)) / RATE
    for second in bar_strokes(factor):
        hz, stroke = 220 * 2 ** (random.choice([0, 2, 4, 7, 9, 12, 14, 16]) / 12), np.zeros(len(at))
        for ratio, level, fades_s in ((1, 1, 0.5), (2.756, 0.5, 0.25), (5.404, 0.3, 0.1), (8.933, 0.15, 0.05)):
            wave = np.sin(2 * np.pi * hz * ratio * at + random.uniform(0, 2 * np.pi))
            stroke += level * np.exp(-at / (fades_s * factor)) * wave
        stroke[:96] += random.normal(0, 0.4, 96) * np.linspace(1, 0, 96)
        put(sound, second, 0.15 * stroke, random.uniform(-1, 1))
    return sound


def applause(factor: float) -> np.ndarray:
    """Applause of 150 claps per second, each 12 ms of noise with a resonance."""
    random, sound = np.random.default_rng(43), np.zeros((int(6 * factor * RATE), 2))
    at = np.arange(int(0.012 * RATE)) / RATE
    for second in random.uniform(0.1, 5.9, 870):
        noise = random.normal(0, 1, len(at)) * np.exp(-at / 0.0025)
        resonance = np.exp(-at / 0.001) * np.sin(2 * np.pi * random.uniform(900, 2600) * at)
        loudness = min(1, second / 1.5, (6 - second) / 1.5)
        put(sound, second * factor, 0.05 * loudness * fftconvolve(noise, resonance)[: len(at)], random.uniform(-1, 1))
    return sound


def rain(factor: float) -> np.ndarray:
    """Rain: 400 drops per second, and a soft hiss."""
    random, sound = np.random.default_rng(44), np.zeros((int(6 * factor * RATE), 2))
    at = np.arange(int(0.006 * RATE)) / RATE
    for second in random.uniform(0.05, 5.95, 2360):
        level, fades_s = 0.08 * random.exponential(), random.uniform(0.0004, 0.0016)
        drop = np.exp(-at / fades_s) * np.sin(2 * np.pi * random.uniform(2000, 7000) * at + random.uniform(0, 6.28))
        put(sound, second * factor, level * drop, random.uniform(-1, 1))
    return sound + np.random.default_rng(45).normal(0, 0.003, sound.shape)


SOUNDS = [
    Sound("applause", applause),
    Sound("rain", rain),
    Sound("struck bars", bars, bar_strokes),
    of_font("piano", 0, arpeggio(48, 0.14, 1.5, 6, 46)),
    of_font("harpsichord", 6, arpeggio(48, 0.14, 1.5, 6, 47)),
    of_font("vibraphone", 11, arpeggio(53, 0.12, 3, 6, 48)),
    of_font("nylon guitar", 24, arpeggio(45, 0.165, 2, 6, 49)),
    of_font("solo violin", 40, melody(62, 6, 50)),
    of_font("strings", 48, chorale(55, 6)),
    of_font("drum kit", 0, beat(6, 51), DRUMS),
]


def lateness_ms(output: np.ndarray, ideal: np.ndarray, strokes: np.ndarray) -> np.ndarray:
    """Returns the delay of each stroke in ms, without their median. Correlates 9 ms of the second
    difference of the output with the ideal, within ±20 ms."""
    got, wanted = (np.diff(samples.sum(1), 2, axis=0) for samples in (output, ideal))
    reach, late = RATE // 50, []
    for start in (round(second * RATE) for second in strokes):
        piece = wanted[start - 48 : start + 384]
        around = fit(got, len(wanted))[start - 48 - reach : start + 384 + reach]
        if len(around) == len(piece) + 2 * reach:
            late.append(1000 * (int(np.correlate(around, piece, "valid").argmax()) - reach) / RATE)
    return np.array(late) - np.median(late)
