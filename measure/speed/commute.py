#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares a reversal that is stretched with a stretch that is reversed: S(Rx) and R(Sx), with preserved
pitch. For each sound and factor: the largest difference of a third octave (of those within 40 dB of the
strongest), the difference of the level, and that of the levels of 50 ms (95 of 100, within 30 dB of the
loudest), in dB."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "measure/quality"))
from stretch import peers, scenes, tones  # noqa: E402
from stretch.audio import fade, mono, read_wav, write_wav  # noqa: E402
from stretch.recordings import decoded  # noqa: E402
from stretch.score import RATE, Score  # noqa: E402
from stretch.song import Band, song  # noqa: E402
from stretch.soundfont import Note, played  # noqa: E402

FACTORS = (0.5, 1.5, 2, 4)


def voice() -> np.ndarray:
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["espeak-ng", "-v", "en-gb", "-s", "165", "-w", file.name, "Every word keeps its pitch."], check=True)
        return fade(decoded(Path(file.name))[:, 0], 5)


def violin() -> np.ndarray:
    tune = [(62, 0, 0.5), (69, 0.45, 0.5), (74, 0.9, 0.35), (73, 1.2, 0.25), (71, 1.4, 0.25), (69, 1.6, 1.3)]
    return mono(played([Note(0, key, 0.05 + start, length, 100) for key, start, length in tune], {0: 40}, 1, 3.2))


SOUNDS = {
    "chord": lambda: scenes.chord(1),
    "glide": lambda: tones.glide(Score()),
    "violin": violin,
    "song without drums": lambda: song(Score(), 1, Band(drums=False)),
    "song": lambda: song(Score()),
    "voice": voice,
    "castanets": lambda: scenes.castanets(1),
    "applause": lambda: scenes.clapping(1),
}


def stretched(samples: np.ndarray, factor: float) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.wav"), Path(folder, "out.wav")
        write_wav(source, samples)
        words = f"filesrc location={source} ! wavparse ! timescale keep-pitch=true factor={factor} ! wavenc"
        words += f" ! filesink location={target}"
        subprocess.run(["gst-launch-1.0", "-q", *words.split()], env=peers.ENVIRONMENT, check=True)
        return read_wav(target)


def db(power) -> np.ndarray:
    return 10 * np.log10(np.maximum(power, 1e-20))


def thirds(samples: np.ndarray) -> np.ndarray:
    """The power in each third octave from 50 Hz to 16 kHz."""
    power = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    hz = np.fft.rfftfreq(len(samples), 1 / RATE)
    centres = 1000 * 2 ** (np.arange(-13, 13) / 3)
    return np.array([power[(hz >= c * 2 ** (-1 / 6)) & (hz < c * 2 ** (1 / 6))].sum() for c in centres])


def levels(samples: np.ndarray) -> np.ndarray:
    n = RATE // 20
    return (samples[: len(samples) // n * n].reshape(-1, n) ** 2).mean(axis=1)


def differences(one: np.ndarray, other: np.ndarray) -> tuple[float, float, float]:
    bands = db(thirds(one)), db(thirds(other))
    strong = bands[0] > bands[0].max() - 40
    parts = db(levels(one)), db(levels(other))
    loud = np.maximum(*parts) > parts[0].max() - 30
    return (
        np.abs(bands[0] - bands[1])[strong].max(),
        float(abs(db((one**2).mean()) - db((other**2).mean()))),
        np.percentile(np.abs(parts[0] - parts[1])[loud], 95),
    )


def main() -> None:
    print("| third octave / level / 50 ms, dB | " + " | ".join(f"factor {factor:g}" for factor in FACTORS) + " |")
    print("|---" * (len(FACTORS) + 1) + "|")
    for name, make in SOUNDS.items():
        wave = mono(make())
        cells = []
        for factor in FACTORS:
            one, other = stretched(wave[::-1], factor), stretched(wave, factor)[::-1]
            n = min(len(one), len(other))
            cells.append(" / ".join(f"{value:.1f}" for value in differences(one[:n], other[:n])))
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
