# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A synthetic voice: glottal pulses through gliding formants, fricatives, pauses, plosives."""

from dataclasses import dataclass

import numpy as np
from scipy.signal import butter, lfilter, sosfiltfilt

from .distance import MIDDLE, aligned, distance
from .score import RATE, Score

VOWELS = {  # Hz of the first four formants, after Peterson and Barney 1952
    "a": (730, 1090, 2440, 3400),
    "i": (270, 2290, 3010, 3600),
    "u": (300, 870, 2240, 3300),
    "e": (530, 1840, 2480, 3500),
    "o": (570, 840, 2410, 3300),
}
BANDWIDTHS_HZ = (70, 90, 130, 180)
LONGEST_PERIOD_MS = 12
LEAD_S = 0.3  # silence before and after, in the time of the input
BLOCK = 48  # number of frames with constant formants


@dataclass(frozen=True)
class Sound:
    """A sound of the sentence. `kind`: vowel, hiss, pause or plosive. `hz`: pitch at the start and
    the end of a vowel."""

    kind: str
    seconds: float
    hz: tuple[float, float] = (0, 0)
    vowel: str = ""


def consonant(random: np.random.Generator) -> tuple[list[Sound], float]:
    """Returns the sounds between two vowels, and how many seconds they count in `sentence`."""
    choice = random.integers(4)
    if choice == 0:
        return [Sound("hiss", random.uniform(0.07, 0.13))], 0.1
    if choice == 1:
        return [Sound("pause", random.uniform(0.05, 0.09)), Sound("plosive", 0.03)], 0.1
    if choice == 2:
        return [Sound("pause", random.uniform(0.08, 0.2))], 0.14
    return [], 0


def sentence(score: Score) -> list[Sound]:
    """Returns the sounds of a sentence of about eight seconds."""
    random, sounds, total = score.random(5), [], 0.0
    while total < 7:
        seconds, hz = random.uniform(0.14, 0.30), random.uniform(95, 190)
        glide = (hz, hz * random.uniform(0.8, 1.2))
        sounds.append(Sound("vowel", seconds, glide, "aiueo"[random.integers(5)]))
        more, counted = consonant(random)
        sounds += more
        total += seconds + counted
    return sounds


@dataclass(frozen=True)
class Spoken:
    """A spoken sentence, and for each sound its first frame and the frame after its last one."""

    samples: np.ndarray
    places: list[tuple[Sound, int, int]]


def places(sounds: list[Sound], factor: float) -> list[tuple[Sound, int, int]]:
    start, placed = LEAD_S * factor * RATE, []
    for sound in sounds:
        end = start + sound.seconds * factor * RATE
        placed.append((sound, int(round(start)), int(round(end))))
        start = end
    return placed


def glottal_flow(cycles: np.ndarray) -> np.ndarray:
    """Returns the flow for positions in cycles: Rosenberg's pulse (1971, type C), open for 0.6 of a
    cycle and closed by a quarter of a cosine."""
    place = cycles % 1
    opening = 0.5 * (1 - np.cos(np.pi * place / 0.4)) * (place < 0.4)
    closing = np.cos(np.pi / 2 * (place - 0.4) / 0.2) * ((place >= 0.4) & (place < 0.6))
    return opening + closing


def pulses(placed, frames: int, semitones: float = 0) -> np.ndarray:
    """Returns the derivative of the glottal flow in the vowels, with a continuous phase."""
    excitation, cycle = np.zeros(frames), 0.0
    for sound, start, end in placed:
        if sound.kind != "vowel":
            continue
        count = end - start
        low, high = (hz * 2 ** (semitones / 12) for hz in sound.hz)
        hz = low * (high / low) ** np.linspace(0, 1, count, endpoint=False)
        cycles = cycle + np.cumsum(hz) / RATE
        cycle = cycles[-1] % 1
        distance_to_edge = np.minimum(np.arange(count), np.arange(count)[::-1])
        level = np.minimum(1, distance_to_edge / (0.012 * RATE))
        excitation[start:end] = np.diff(glottal_flow(cycles), prepend=0) * 12 * level
    return excitation


def breath(placed, frames: int, random: np.random.Generator) -> np.ndarray:
    """Returns the noise of fricatives, which last `factor` times as long, and of plosives, whose
    burst keeps its length."""
    noise = np.zeros(frames)
    for sound, start, end in placed:
        if sound.kind == "hiss":
            noise[start:end] = random.standard_normal(end - start) * 0.05 * np.hanning(end - start) ** 0.3
        elif sound.kind == "plosive":
            count = int(0.012 * RATE)
            decay = np.exp(-np.arange(count) / (0.003 * RATE))
            noise[start : start + count] += random.standard_normal(count) * 0.12 * decay
    return lfilter(*butter(2, 3500, "high", fs=RATE), noise)


def formants(placed, frames: int, factor: float) -> np.ndarray:
    """Returns the formants in Hz (frames × 4): those of the last vowel, smoothed over 30 ms of the
    input."""
    track, last = np.zeros((frames, 4)), VOWELS["a"]
    for sound, start, end in placed:
        last = VOWELS.get(sound.vowel, last)
        track[start:end] = last
    first, end = placed[0][1], placed[-1][2]
    track[:first], track[end:] = track[first], last
    size = max(3, int(0.03 * factor * RATE))
    window = np.hanning(size) / np.sum(np.hanning(size))
    columns = [np.convolve(np.pad(column, size, "edge"), window, "same")[size:-size] for column in track.T]
    return np.stack(columns, axis=1)


def resonate(samples: np.ndarray, hz: np.ndarray, bandwidth_hz: float) -> np.ndarray:
    """Filters by a two-pole resonator (Klatt 1980) with gain 1 at 0 Hz and a changing frequency."""
    radius, state, output = np.exp(-np.pi * bandwidth_hz / RATE), np.zeros(2), np.empty_like(samples)
    for at in range(0, len(samples), BLOCK):
        poles = [1, -2 * radius * np.cos(2 * np.pi * hz[at] / RATE), radius * radius]
        output[at : at + BLOCK], state = lfilter([sum(poles)], poles, samples[at : at + BLOCK], zi=state)
    return output


def vowels(placed, frames: int, factor: float, semitones: float = 0) -> np.ndarray:
    wave = pulses(placed, frames, semitones)
    for hz, bandwidth in zip(formants(placed, frames, factor).T, BANDWIDTHS_HZ):
        wave = resonate(wave, hz, bandwidth)
    return wave


def speak(score: Score, factor: float = 1, semitones: float = 0) -> Spoken:
    """Speaks the sentence. `semitones` raises the pitch; formants and level stay the same."""
    sounds = sentence(score)
    frames = int(round(factor * RATE * (sum(sound.seconds for sound in sounds) + 2 * LEAD_S)))
    placed = places(sounds, factor)
    wave = vowels(placed, frames, factor)
    wave = wave / np.max(np.abs(wave)) * 0.5
    if semitones:
        moved = vowels(placed, frames, factor, semitones)
        wave = moved * np.sqrt(np.mean(wave**2) / np.mean(moved**2))
    return Spoken(wave + breath(placed, frames, score.random(50)), placed)


def voice(score: Score, factor: float = 1) -> np.ndarray:
    return speak(score, factor).samples


def middle_of_a_vowel(score: Score) -> float:
    """Returns the time of the middle of the fourth vowel, in seconds."""
    vowels = [(start, end) for sound, start, end in places(sentence(score), 1) if sound.kind == "vowel"]
    return sum(vowels[3]) / 2 / RATE


# ---- measure


def kurtosis(samples: np.ndarray) -> float:
    return float(np.mean(samples**4) / np.mean(samples**2) ** 2)


def pulse_loss(output: np.ndarray, ideal: Spoken, factor: float) -> float:
    """Returns how much sharper than the ideal the glottal pulses are, in dB: the kurtosis from 1.5
    to 8 kHz in segments of 30 ms, relative to the ideal, as a mean over the vowels. Negative if the
    pulses are smeared."""
    band = butter(4, (1500, 8000), "band", fs=RATE, output="sos")
    got, wanted = (sosfiltfilt(band, samples) for samples in (output, ideal.samples))
    size, edge, losses = int(0.03 * RATE), int(0.03 * factor * RATE), []
    for sound, start, end in ideal.places:
        if sound.kind != "vowel":
            continue
        for at in range(start + edge, end - edge - size, size):
            ours, theirs = got[at : at + size], wanted[at : at + size]
            if np.mean(ours**2) > 1e-12:
                losses.append(10 * np.log10(kurtosis(ours) / kurtosis(theirs)))
    return float(np.mean(losses)) if losses else float("nan")


def spoken(output: np.ndarray, score: Score, factor: float) -> dict[str, float]:
    """Compares the output with the voice speaking at that tempo. `late_ms`: the delay, which is
    removed first; `lsd`: `distance`; `pulse`: `pulse_loss`."""
    ideal = speak(score, factor)
    output, frames = aligned(output, ideal.samples, LONGEST_PERIOD_MS)
    return {
        "lsd": distance(output, ideal.samples, MIDDLE),
        "pulse": pulse_loss(output, ideal, factor),
        "late_ms": frames / RATE * 1e3,
    }
