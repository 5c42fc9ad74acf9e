# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A song at any tempo: drums, bass, chords, and a melody with vibrato, in stereo.

Each drum keeps its sound, as if the drummer played at another tempo. Notes keep their attack and
release, and last `factor` times as long."""

from dataclasses import dataclass, field

import numpy as np
from scipy.signal import butter, lfilter

from .audio import decibels, fade
from .distance import LONG, SHORT, aligned, distance
from .score import RATE, Score

BARS = 4
LEAD_S = 0.2  # silence before the first beat, in the time of the input


@dataclass(frozen=True)
class Band:
    """Which instruments are present."""

    drums: bool = True
    tonal: bool = True


# ---- instruments


def kick(random: np.random.Generator) -> np.ndarray:
    t = np.arange(int(0.25 * RATE)) / RATE
    hz = 50 + 130 * np.exp(-t / 0.02)
    body = 0.9 * np.sin(2 * np.pi * np.cumsum(hz) / RATE) * np.exp(-t / 0.07) * np.minimum(t / 0.001, 1)
    return body + 0.25 * random.standard_normal(len(t)) * np.exp(-t / 0.002)


def snare(random: np.random.Generator) -> np.ndarray:
    t = np.arange(int(0.2 * RATE)) / RATE
    rattle = 0.35 * random.standard_normal(len(t)) * np.exp(-t / 0.045)
    return np.minimum(t / 0.0004, 1) * (rattle + 0.4 * np.sin(2 * np.pi * 190 * t) * np.exp(-t / 0.05))


def hat(random: np.random.Generator) -> np.ndarray:
    t = np.arange(int(0.08 * RATE)) / RATE
    wave = np.minimum(t / 0.0003, 1) * 0.35 * random.standard_normal(len(t)) * np.exp(-t / 0.018)
    return lfilter(*butter(2, 6000, "high", fs=RATE), wave)


TIMBRES = {  # number of harmonics, amplitude of the k-th, cents of vibrato, decay over the note
    "bass": (24, lambda k: 0.85**k / k**0.5, 0, 1.2),
    "pad": (10, lambda k: 1 / k**1.3, 0, 0),
    "lead": (10, lambda k: 1 / k, 30, 1.2),
}


def note(hz: float, seconds: float, timbre: str, random: np.random.Generator) -> np.ndarray:
    """Returns a note with an attack of 4 ms and a release of 40 ms. Decay and vibrato (2.2 cycles)
    extend over the whole note."""
    count, amplitude, vibrato_cents, decay = TIMBRES[timbre]
    t = np.arange(int(round(seconds * RATE))) / RATE
    cents = vibrato_cents * np.sin(2 * np.pi * 2.2 * t / seconds)
    phase = 2 * np.pi * np.cumsum(hz * 2 ** (cents / 1200)) / RATE
    wave = np.zeros(len(t))
    for k in range(1, count + 1):
        if hz * k > 16000:
            break
        wave += amplitude(k) * np.cos(k * phase + random.uniform(0, 6.28))
    level = np.minimum(t / 0.004, 1) * np.minimum((seconds - t) / 0.04, 1)
    return wave * level * np.exp(-decay * t / seconds)


# ---- the song


@dataclass
class Stage:
    """A stereo mix with constant-power panning. Also records the onsets of drums."""

    samples: np.ndarray
    onsets_s: list[float] = field(default_factory=list)

    def put(self, wave: np.ndarray, time_s: float, pan: float, gain: float) -> None:
        at, angle = int(round(time_s * RATE)), (pan + 1) * np.pi / 4
        for channel, share in enumerate((np.cos(angle), np.sin(angle))):
            self.samples[at : at + len(wave), channel] += gain * share * wave

    def hit(self, wave: np.ndarray, time_s: float, pan: float, gain: float) -> None:
        self.put(wave, time_s, pan, gain)
        self.onsets_s.append(time_s)


def midi_hz(number: float) -> float:
    return 440 * 2 ** ((number - 69) / 12)


def play_drums(stage: Stage, score: Score, bar: int, start_s: float, beat_s: float) -> None:
    for eighth in range(8):
        stage.hit(hat(score.random(700 + eighth % 5)), start_s + eighth * beat_s / 2, 0.5, 0.30)
    for beat in (0, 2, 2.5):
        stage.hit(kick(score.random(700)), start_s + beat * beat_s, 0, 0.45)
    for beat in (1, 3):
        stage.hit(snare(score.random(700 + bar)), start_s + beat * beat_s, -0.1, 0.5)


def play_notes(stage: Stage, score: Score, bar: int, start_s: float, beat_s: float) -> None:
    root = score.roots[bar % 4]
    for beat in (0, 1.5, 3):
        wave = note(midi_hz(root - 12), (1.4 if beat < 3 else 0.9) * beat_s, "bass", score.random(900 + bar))
        stage.put(wave, start_s + beat * beat_s, 0, 0.10)
    for voice, interval in enumerate((0, 7, 15, 16 if bar % 2 else 19)):
        wave = note(midi_hz(root + 12 + interval), 3.9 * beat_s, "pad", score.random(920 + 7 * bar + voice))
        stage.put(wave, start_s, -0.8 + 0.5 * voice, 0.05)
    for beat in range(4):
        number = 69 + score.scale[(bar * 4 + beat) % 8]
        wave = note(midi_hz(number), 0.9 * beat_s, "lead", score.random(960 + bar * 4 + beat))
        stage.put(wave, start_s + beat * beat_s, 0.3, 0.07)


def play(score: Score, factor: float, band: Band, bars: int = BARS) -> Stage:
    beat_s = 60 / score.beats_per_minute * factor
    frames = int(round(bars * 4 * beat_s * RATE + 0.8 * factor * RATE))
    stage = Stage(np.zeros((frames + RATE, 2)))  # a second for sounds to decay
    for bar in range(bars):
        start_s = LEAD_S * factor + bar * 4 * beat_s
        if band.drums:
            play_drums(stage, score, bar, start_s, beat_s)
        if band.tonal:
            play_notes(stage, score, bar, start_s, beat_s)
    stage.samples = fade(stage.samples[:frames] * 0.8, 5)
    return stage


def song(score: Score, factor: float = 1, band: Band = Band()) -> np.ndarray:
    return play(score, factor, band).samples


# ---- measures


def played(output: np.ndarray, score: Score, factor: float, band: Band = Band()) -> dict[str, float]:
    """Compares the output with the song played at that tempo. `late_ms`: the delay, which is
    removed first; `long`, `short`: `distance` in windows of 85 and 8 ms. For drums alone, also
    `drum_attacks`."""
    stage = play(score, factor, band)
    output, frames = aligned(output, stage.samples)
    figures = {
        name: distance(output, stage.samples, resolution) for name, resolution in (("long", LONG), ("short", SHORT))
    }
    figures["late_ms"] = frames / RATE * 1e3
    return figures if band.tonal else figures | drum_attacks(output, stage)


def drum_attacks(output: np.ndarray, ideal: Stage) -> dict[str, float]:
    """Measures the attacks of drums. `attack`: mean power of the 6 ms after each onset relative to
    the ideal, in dB; `attack_sd`: standard deviation of that. `pre`: mean power in excess of the
    ideal from 15 to 1 ms before an onset, relative to the ideal's power in the 6 ms after it, in
    dB."""
    got, wanted = output.mean(1), ideal.samples.mean(1)

    def power(samples: np.ndarray, onset: int, low_ms: float, high_ms: float) -> float:
        return np.mean(samples[onset + int(low_ms * RATE / 1000) : onset + int(high_ms * RATE / 1000)] ** 2) + 1e-9

    heights, smears = [], []
    for onset_s in np.unique(np.round(ideal.onsets_s, 6)):
        onset = int(onset_s * RATE)
        if onset < 1000:
            continue
        reference = power(wanted, onset, 0, 6)
        heights.append(10 * np.log10(power(got, onset, 0, 6) / reference))
        smears.append(max(0, power(got, onset, -15, -1) - power(wanted, onset, -15, -1)) / reference)
    return {
        "attack": float(np.mean(heights)),
        "attack_sd": float(np.std(heights)),
        "pre": float(decibels(np.mean(smears))),
    }
