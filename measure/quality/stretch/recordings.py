# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings from Debian packages. Their ideal output is unknown, so they are stretched and
stretched back, and the result is compared with the recording; in addition, the heights of attacks
are measured."""

import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from scipy.signal import find_peaks

from .audio import mono
from .distance import LONG, SHORT, Resolution, aligned, distance, mel_power
from .score import RATE

SECONDS = 6
SONIC_PI = Path("/usr/share/sonic-pi/samples")  # package sonic-pi-samples
ALSA = Path("/usr/share/sounds/alsa")  # package alsa-utils
SPOKEN = ("Front_Center", "Rear_Left", "Side_Right", "Front_Right", "Rear_Center", "Side_Left")
SENTENCE = "Six months later the big ship turned back; nobody had packed enough coffee, sugar or fresh bread."

USUAL = {
    "amen": [SONIC_PI / "loop_amen_full.flac"],
    "tabla": [SONIC_PI / "loop_tabla.flac"],
    "guitar": [SONIC_PI / "guit_em9.flac"],
    "speech": [ALSA / f"{name}.wav" for name in SPOKEN],
}
HELD_OUT = {
    "compus": [SONIC_PI / "loop_compus.flac"],
    "safari": [SONIC_PI / "loop_safari.flac"],
    "garzul": [SONIC_PI / "loop_garzul.flac"],
    "slide": [SONIC_PI / "guit_e_slide.flac"],
    "lunar": [SONIC_PI / "ambi_lunar_land.flac"],
    "espeak": ["espeak-ng"],
}
WITH_ATTACKS = ("amen", "tabla", "compus", "safari")
FLUX = Resolution(0.004, 10, 0.001)


def decoded(path: Path) -> np.ndarray:
    channels = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=channels", "-of", "csv=p=0", str(path)],
        capture_output=True, check=True, text=True,
    ).stdout.strip().strip(",")  # fmt: skip
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "f32le", "-ar", str(RATE), "-"]
    data = subprocess.run(command, capture_output=True, check=True).stdout
    return 0.7 * np.frombuffer(data, np.float32).reshape(-1, int(channels)).astype(float)


def spoken() -> np.ndarray:
    """Returns SENTENCE, spoken by espeak-ng."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["espeak-ng", "-s", "160", "-w", file.name, SENTENCE], check=True)
        return decoded(Path(file.name))


@cache
def recording(name: str) -> np.ndarray | None:
    """Returns the first six seconds of a recording, or `None` if its package is not installed.
    Several files are joined in mono, with gaps of 0.15 s."""
    files = (USUAL | HELD_OUT)[name]
    if files == ["espeak-ng"]:
        return spoken()[: SECONDS * RATE, 0]
    if not all(path.exists() for path in files):
        return None
    if len(files) == 1:
        return decoded(files[0])[: SECONDS * RATE]
    gap = np.zeros(int(0.15 * RATE))
    parts = [part for path in files for part in (decoded(path)[:, 0], gap)]
    return np.concatenate(parts)[: SECONDS * RATE]


def round_trip(back: np.ndarray, given: np.ndarray) -> dict[str, float]:
    """Compares the recording after the round trip, without its delay. `long`, `short`: `distance`
    in windows of 85 and 8 ms. This favours programs that repeat pieces and then cut the same pieces
    out again."""
    back, _ = aligned(back, given)
    return {name: distance(back, given, resolution) for name, resolution in (("long", LONG), ("short", SHORT))}


def flux(samples: np.ndarray) -> np.ndarray:
    """Returns the rise of the amplitude within 3 ms, summed over eight logarithmic bands, for every
    millisecond."""
    amplitude = np.sqrt(mel_power(mono(samples), FLUX)[0])
    rise = np.maximum(amplitude[3:] - amplitude[:-3], 0).sum(1)
    return np.convolve(rise, np.ones(3) / 3, "same")


def onsets(output: np.ndarray, given: np.ndarray, factor: float) -> dict[str, float]:
    """Measures the attacks, which are peaks of `flux`, within 25 ms of their expected times.
    `attack`: mean height relative to the recording, in dB; `attack_sd`: standard deviation of that;
    `off_ms`: 80th percentile of their timing errors."""
    wanted, got = flux(given), flux(output)
    peaks, _ = find_peaks(wanted, height=wanted.max() * 0.4, distance=80)
    peaks = peaks[(peaks * factor > 60) & (peaks * factor < len(got) - 60)]
    if not len(peaks):
        return {"attack": float("nan"), "attack_sd": float("nan"), "off_ms": float("nan")}
    places = [int(peak * factor) for peak in peaks]
    late = int(np.median([np.argmax(got[place - 40 : place + 41]) - 40 for place in places]))
    heights, offsets = [], []
    for peak, place in zip(peaks, places):
        start = max(0, place + late - 25)
        around = got[start : place + late + 26]
        heights.append(20 * np.log10(around.max() / wanted[peak] + 1e-9))
        offsets.append(start + np.argmax(around) - place - late)
    return {
        "attack": float(np.mean(heights)),
        "attack_sd": float(np.std(heights)),
        "off_ms": float(np.percentile(np.abs(offsets), 80)),
    }
