#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: resampling.py [--fast] [FOLDER]

Measures resampling by the plugin in the build folder, compared with audioresample,
speed, pitch, SoX and FFmpeg. Prints Markdown, and draws a picture in FOLDER (default:
build/quality). --fast omits the speeds, which take a few minutes."""

import struct
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from resamplers import RATE, RESAMPLERS, ROOT, labelled_rate, run  # noqa: E402

FACTORS = [Fraction(1, 2), Fraction(10, 11), Fraction(9, 10), Fraction(11, 10), Fraction(3, 2), Fraction(2)]
HERTZ = [1000, 5000, 15000]
TIMED_SECONDS = 20 * 60
TIMED_FACTOR = Fraction(10, 11)


# ---- files


def write_wav(path: Path, samples: np.ndarray, rate: int) -> Path:
    """Writes 32-bit floats. `samples` has one column per channel, or is mono."""
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    data = samples.astype("<f4").tobytes()
    form = struct.pack("<HHIIHH", 3, channels, rate, rate * channels * 4, channels * 4, 32)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    return path


class Bench:
    """A folder for test signals and their resampled versions."""

    def __init__(self, folder: Path):
        self.folder = folder

    def through(self, name: str, samples: np.ndarray, factor: Fraction) -> np.ndarray:
        source, target = self.folder / "in.wav", self.folder / "out.raw"
        write_wav(source, samples, labelled_rate(name, factor))
        run(RESAMPLERS[name](source, target, factor))
        return np.fromfile(target, "<f4").astype(float)


# ---- figures


def fit(samples: np.ndarray, frequency: float) -> tuple[np.ndarray, float]:
    """Fits a sine of a frequency (in radians per frame) to the samples. Returns the sine and the
    power of the residue."""
    k = np.arange(len(samples)) - len(samples) / 2
    basis = np.stack([np.cos(frequency * k), np.sin(frequency * k)], axis=1)
    sine = basis @ np.linalg.lstsq(basis, samples, rcond=None)[0]
    return sine, float(np.mean((samples - sine) ** 2))


def sndr(samples: np.ndarray, frequency: float) -> float:
    """Returns the signal-to-noise-and-distortion ratio of a sine in dB. Searches for the best
    frequency nearby, because some programs do not resample by exactly the requested ratio."""
    middle = samples[len(samples) // 5 : -len(samples) // 5]
    width = 1e-3 * frequency
    best = frequency
    while width > 1e-13:
        trials = best + np.linspace(-width, width, 9)
        best = trials[np.argmin([fit(middle, trial)[1] for trial in trials])]
        width /= 3
    best = min([frequency, best], key=lambda trial: fit(middle, trial)[1])
    sine, rest = fit(middle, best)
    return 10 * np.log10(np.mean(sine**2) / max(rest, 1e-30))


def sndr_rows(bench: Bench, name: str) -> list[str]:
    """Returns a text for each factor with the figures of all tones inside the pass band."""
    row = []
    for factor in FACTORS:
        figures = []
        for hertz in HERTZ:
            if hertz > 0.9 * min(1, factor) * RATE / 2:
                figures.append("–")
                continue
            frequency = 2 * np.pi * hertz / RATE
            wave = 0.5 * np.sin(frequency * np.arange(RATE // 4))
            figures.append(f"{sndr(bench.through(name, wave, factor), frequency / float(factor)):.0f}")
        row.append(" / ".join(figures))
    return row


def passband(bench: Bench, name: str) -> float:
    """Returns the frequency at which the response has fallen by 3 dB, relative to the end of the
    input's band. Uses impulses at 8 positions, because their responses may differ."""
    wave = np.zeros(RATE // 2)
    wave[2000::2750] = 0.5
    output = bench.through(name, wave, Fraction(2))
    places = range(4000, len(output) - 3000, 5500)
    power = np.mean([np.abs(np.fft.rfft(output[at - 2500 : at + 2500], 1 << 16)) ** 2 for at in places], axis=0)
    low = power[: len(power) // 20].mean()
    return float(np.argmax(power < low / 2) / (len(power) - 1) * 2)


def alias(bench: Bench, name: str) -> float:
    """Returns the level of aliases in dB: a sweep over the upper half of the band is played twice
    as fast, which ideally leaves silence."""
    t = np.arange(RATE) / RATE
    sweep = 0.5 * np.sin(2 * np.pi * (12000 * t + 6000 * t**2)) * np.hanning(RATE)
    output = bench.through(name, sweep, Fraction(1, 2))
    return 10 * np.log10(max(np.mean(output**2), 1e-30) / np.mean(sweep**2))


def quality_table(bench: Bench) -> None:
    print("SNDR in dB of a sine at half scale, 48 kHz F32, at 1 / 5 / 15 kHz; pass band (−3 dB) as a part of")
    print("the band; what is left of a sweep from 12 to 24 kHz at factor 0.5, in dB\n")
    print("| | " + " | ".join(f"× {factor}" for factor in FACTORS) + " | pass band | alias |")
    print("|---" * (len(FACTORS) + 3) + "|")
    for name in RESAMPLERS:
        row = sndr_rows(bench, name)
        print(f"| {name} | " + " | ".join(row) + f" | {passband(bench, name):.3f} | {alias(bench, name):.0f} |", flush=True)


# ---- picture


def draw(bench: Bench, target: Path) -> None:
    """Draws spectrograms of a sweep from 0 Hz to the Nyquist frequency that is played twice as fast.
    Ideally, there is one line, which ends at the Nyquist frequency; everything else is an alias."""
    t = np.arange(4 * RATE) / RATE
    sweep = 0.5 * np.sin(2 * np.pi * 3000 * t**2)
    figure, axes = plt.subplots(3, 4, figsize=(16, 10), sharex=True, sharey=True)
    for name, axis in zip(RESAMPLERS, axes.flat):
        output = bench.through(name, sweep, Fraction(1, 2))
        output += 1e-11 * np.random.default_rng(1).standard_normal(len(output))
        axis.specgram(output, NFFT=1024, Fs=RATE, noverlap=768, window=np.kaiser(1024, 20), vmin=-220, vmax=-40)
        axis.set_title(name)
    figure.supxlabel("s")
    figure.supylabel("Hz")
    figure.suptitle("0 to 24 kHz in 4 s, shortened to half")
    figure.tight_layout()
    figure.savefig(target, dpi=80)


# ---- speeds


def seconds_taken(command: list[str]) -> float:
    """Returns the minimum duration of three runs, in seconds."""
    times = []
    for _ in range(3):
        begun = time.monotonic()
        run(command)
        times.append(time.monotonic() - begun)
    return min(times)


def speed_table(folder: Path) -> None:
    noise = np.random.default_rng(1).uniform(-0.5, 0.5, (TIMED_SECONDS * RATE, 2)).astype("<f4")
    nowhere = Path("/dev/null")
    times = {}
    for name, command in sorted(RESAMPLERS.items(), key=lambda item: labelled_rate(item[0], TIMED_FACTOR)):
        source = folder / f"{labelled_rate(name, TIMED_FACTOR)}.wav"
        if not source.exists():
            write_wav(source, noise, labelled_rate(name, TIMED_FACTOR))
        times[name] = seconds_taken(command(source, nowhere, TIMED_FACTOR))
    print(f"\nWhole command, {TIMED_SECONDS // 60} min stereo F32, factor {TIMED_FACTOR}, best of 3\n")
    print("| | s | by audioresample 4 |\n|---|---|---|")
    for name, taken in times.items():
        print(f"| {name} | {taken:.2f} | {taken / times['audioresample 4']:.2f} |")


def main() -> None:
    arguments = [word for word in sys.argv[1:] if word != "--fast"]
    if len(arguments) > 1 or any(word.startswith("-") for word in arguments):
        sys.exit(__doc__)
    target = Path(arguments[0]) if arguments else ROOT / "build/quality"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        quality_table(bench)
        draw(bench, target / "sweeps.png")
        print(f"\nThe sweeps are in {target / 'sweeps.png'}")
        if "--fast" not in sys.argv:
            speed_table(Path(folder))


if __name__ == "__main__":
    main()
