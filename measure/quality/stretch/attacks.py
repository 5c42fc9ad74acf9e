# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Attacks, the sudden beginnings of sounds: their times, their smearing, and whether attacks are
lost or doubled."""

from dataclasses import dataclass

import numpy as np
from scipy.signal import butter, find_peaks, firwin, lfilter

from .audio import decibels
from .score import RATE, Score

MILLISECOND = RATE // 1000
REACH = 40 * MILLISECOND  # an attack is searched this far on either side of its expected time
PRE_ECHO = int(0.0025 * RATE)  # energy earlier than this before the attack is pre-echo


# ---- signals


def attack_times(score: Score, seconds: float = 8) -> np.ndarray:
    """Returns the times of the attacks in seconds, at irregular intervals of 0.16 to 0.45 s."""
    random, time, times = score.random(3), 0.4, []
    while time < seconds - 0.4:
        times.append(time)
        time += random.uniform(0.16, 0.45)
    return np.array(times)


def pulse(score: Score, index: int) -> tuple[np.ndarray, int]:
    """Returns a band-limited pulse, and the index of its middle."""
    wave = firwin(63, 15000, fs=RATE)
    return 0.7 * wave / np.max(np.abs(wave)), 31


def castanet(score: Score, index: int) -> tuple[np.ndarray, int]:
    """Returns 40 ms of noise and three resonances, with an attack of 0.3 ms and a decay of 5 ms,
    and the index of its attack."""
    random = score.random(100 + index)
    t = np.arange(int(0.040 * RATE)) / RATE
    noise = random.standard_normal(len(t)) * 0.5
    modes = sum(np.sin(2 * np.pi * hz * t + random.uniform(0, 6)) for hz in (1700, 2900, 4700))
    wave = (noise + modes) * np.minimum(t / 0.0003, 1) * np.exp(-t / 0.005)
    wave = lfilter(*butter(1, 400, "high", fs=RATE), wave)
    return 0.5 * wave / np.max(np.abs(wave)), 0


@dataclass(frozen=True)
class Kind:
    """A kind of attack. `decay_s`: its longest duration. `doubles`: whether a second maximum means
    that the attack was doubled, because the original has only one."""

    wave: object
    decay_s: float
    doubles: bool


KINDS = {"click": Kind(pulse, 0.0025, True), "castanet": Kind(castanet, 0.020, False)}


def bursts(score: Score, kind: str, count: int) -> list[tuple[np.ndarray, int]]:
    return [KINDS[kind].wave(score, index) for index in range(count)]


def attacks(score: Score, kind: str, factor: float = 1, seconds: float = 8) -> np.ndarray:
    """A sound with attacks that keep their sound, and whose times are multiplied by the factor."""
    times = attack_times(score, seconds)
    wave = np.zeros(int(round(seconds * factor * RATE)))
    for time, (burst, middle) in zip(times, bursts(score, kind, len(times))):
        at = int(round(time * factor * RATE)) - middle
        wave[at : at + len(burst)] += burst
    return wave


# ---- measures


def smoothed(power: np.ndarray, frames: int = MILLISECOND) -> np.ndarray:
    return np.convolve(power, np.ones(frames) / frames, "same")


def top_of(energy: np.ndarray) -> int:
    """Returns the first frame that has the maximum, apart from rounding."""
    return int(np.argmax(energy >= energy.max() * (1 - 1e-9)))


@dataclass(frozen=True)
class Reference:
    """A single attack, for comparison: its energy, the peak of its energy over 1 ms, and the
    distance of that peak from the attack in frames."""

    energy: float
    peak: float
    peak_at: int

    @classmethod
    def of(cls, burst: np.ndarray, middle: int) -> "Reference":
        wave = np.zeros(2 * REACH)
        start = REACH - middle
        wave[start : start + len(burst)] = burst[: 2 * REACH - start]
        energy = smoothed(wave**2)
        return cls(float(np.sum(wave**2)), float(energy.max()), top_of(energy) - REACH)


def lateness(energy: np.ndarray, times: np.ndarray, references: list[Reference]) -> float:
    """Returns the median delay of all attacks in seconds, which does not count as jitter."""
    delays = []
    for time, reference in zip(times, references):
        expected = int(round(time * RATE))
        around = energy[max(0, expected - REACH) : expected + REACH]
        if len(around):
            delays.append((top_of(around) - min(REACH, expected) - reference.peak_at) / RATE)
    return float(np.median(delays)) if delays else float("nan")


@dataclass(frozen=True)
class Found:
    """An attack in the output: its offset in seconds, the shares of energy before it and after the
    end of its sound, its peak relative to the reference in dB, and the number of further maxima."""

    offset_s: float
    before: float
    after: float
    peak: float
    doubles: int


def find(around: np.ndarray, energy: np.ndarray, reference: Reference, kind: Kind) -> Found | None:
    """Finds the attack in `around`, the ±40 ms about its expected time; `energy` is the energy of
    `around` over 1 ms. Returns `None` if less than a quarter of the attack's energy is there."""
    total = np.sum(around**2)
    if total < reference.energy / 4:
        return None
    top = top_of(energy)
    attack = top - reference.peak_at
    before = np.sum(around[: max(0, attack - PRE_ECHO)] ** 2)
    after = np.sum(around[attack + int(kind.decay_s * RATE) :] ** 2)
    broad = smoothed(around**2, 2 * MILLISECOND)
    peaks, _ = find_peaks(broad, height=broad.max() * 0.1, distance=4 * MILLISECOND, prominence=broad.max() * 0.09)
    return Found(
        offset_s=(attack - REACH) / RATE,
        before=before / total,
        after=after / total,
        peak=10 * np.log10(energy[top] / reference.peak),
        doubles=max(0, len(peaks) - 1) if kind.doubles else 0,
    )


def events(output: np.ndarray, times: np.ndarray, kind: str, score: Score) -> dict[str, float]:
    """Measures attacks in `output` that are expected at `times` (seconds).

    `late_ms`: median delay, which is subtracted for the other figures. `jitter_ms`: standard
    deviation of the offsets; `worst_ms`: the largest offset. `pre`: mean share of energy more than
    2.5 ms before an attack, in dB; `post`: the same after the end of its sound (2.5 ms for a pulse,
    20 ms for a castanet). `peak`: mean height relative to the original attack, in dB. `dup`,
    `miss`: shares of doubled and lost attacks, from 0 to 1."""
    references = [Reference.of(*burst) for burst in bursts(score, kind, len(times))]
    energy = smoothed(output**2)
    late = lateness(energy, times, references)
    padded, energy = (np.pad(wave, (REACH, 2 * REACH)) for wave in (output, energy))
    found = []
    for time, reference in zip(times, references):
        expected = int(round((time + late) * RATE))
        around = slice(expected, expected + 2 * REACH)
        found.append(find(padded[around], energy[around], reference, KINDS[kind]))
    return summary([one for one in found if one], len(times), late)


def summary(found: list[Found], count: int, late: float) -> dict[str, float]:
    offsets = np.array([one.offset_s for one in found] or [np.nan])
    return {
        "late_ms": late * 1e3,
        "jitter_ms": float(np.sqrt(np.mean((offsets - np.median(offsets)) ** 2)) * 1e3),
        "worst_ms": float(np.max(np.abs(offsets)) * 1e3),
        "pre": float(decibels(np.mean([one.before for one in found] or [np.nan]))),
        "post": float(decibels(np.mean([one.after for one in found] or [np.nan]))),
        "peak": float(np.mean([one.peak for one in found] or [np.nan])),
        "dup": sum(one.doubles for one in found) / count,
        "miss": (count - len(found)) / count,
    }


# ---- the first and the last attack of a stream

ENDS_SECONDS = 2


def ends_places() -> list[int]:
    """Returns the frames of the attacks: the first frame, three in the middle, 40 ms before the
    end."""
    return [0, RATE // 2, RATE, 3 * RATE // 2, ENDS_SECONDS * RATE - 40 * MILLISECOND]


def ends_signal(score: Score, factor: float = 1) -> np.ndarray:
    wave = np.zeros(int(round(ENDS_SECONDS * RATE * factor)))
    burst, _ = castanet(score, 3)
    for place in ends_places():
        at = int(round(place * factor))
        wave[at : at + len(burst)] += burst[: len(wave) - at]
    return wave


def ends(output: np.ndarray, factor: float) -> dict[str, float]:
    """`length`: the frames in excess of the input's length times the factor. `first`, `last`: peak
    of the first and the last attack relative to the three in the middle, in dB; `middle_ms`: delay
    of those three; `first_ms`: delay of the first, relative to them."""
    energy = np.convolve(np.pad(output, (0, 2400)) ** 2, np.ones(96) / 96, "same")
    levels, delays = [], []
    for place in ends_places():
        start = max(0, int(place * factor) - 2400)
        around = energy[start : int(place * factor) + 3400]
        around = around if len(around) else np.zeros(1)  # if the output has ended before
        levels.append(10 * np.log10(around.max() + 1e-12))
        delays.append((start + np.argmax(around)) / RATE - place / RATE * factor)
    middle, late = np.mean(levels[1:4]), np.median(delays[1:4])
    return {
        "length": len(output) - int(round(ENDS_SECONDS * RATE * factor)),
        "first": float(levels[0] - middle),
        "last": float(levels[4] - middle),
        "first_ms": float((delays[0] - late) * 1e3),
        "middle_ms": float(late * 1e3),
    }


def end_levels(output: np.ndarray, ideal: np.ndarray) -> dict[str, float]:
    """Measures the end of a sound that is cut off. `last10`, `last20`, `last40`: level of the last
    10, 20 and 40 ms relative to the ideal, in dB; 0 is best. `length`: the frames in excess of the
    ideal's length."""
    figures = {"length": len(output) - len(ideal)}
    for milliseconds in (10, 20, 40):
        ours, wanted = (np.mean(wave[-milliseconds * MILLISECOND :] ** 2) for wave in (output, ideal))
        figures[f"last{milliseconds}"] = float(10 * np.log10(ours / wanted + 1e-12))
    return figures
