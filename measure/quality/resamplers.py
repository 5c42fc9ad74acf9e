# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The programs that resampling.py measures. Each is a function (input file, raw output file, factor
# as a fraction) that returns the command for resampling a file of 32-bit floating-point samples to
# `factor` times its length.

import os
import subprocess
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    **os.environ,
    "GST_PLUGIN_PATH_1_0": str(ROOT / "build/gst-plugin"),
    "GST_REGISTRY_1_0": str(ROOT / "build/gst-registry.bin"),
}

RATE = 48000

# Programs that convert between sample rates accept only whole numbers of Hz. For them, the file
# declares a multiple of this rate (Hz), with which the ratio is exact.
UNIT = 4800


def gst(source: Path, target: Path, elements: str) -> list[str]:
    """Returns the command that sends a WAV file through `elements` into a raw file."""
    return f"gst-launch-1.0 -q filesrc location={source} blocksize=65536 ! wavparse ! {elements} ! filesink location={target}".split()


def ours(properties: str):
    def command(source: Path, target: Path, factor: Fraction) -> list[str]:
        return gst(source, target, f"timescale factor={float(factor)!r} {properties}")

    return command


def audioresample(quality: int):
    def command(source: Path, target: Path, factor: Fraction) -> list[str]:
        return gst(source, target, f"audioresample quality={quality} ! audio/x-raw,rate={factor.numerator * UNIT}")

    return command


def speed(source: Path, target: Path, factor: Fraction) -> list[str]:
    return gst(source, target, f"speed speed={float(1 / factor)!r}")


def pitch(source: Path, target: Path, factor: Fraction) -> list[str]:
    return gst(source, target, f"pitch rate={float(1 / factor)!r}")


def sox(option: str):
    def command(source: Path, target: Path, factor: Fraction) -> list[str]:
        raw = ["-t", "raw", "-e", "floating-point", "-b", "32", str(target)]
        return ["sox", "-D", "-V1", str(source), *raw, "rate", option, str(factor.numerator * UNIT)]

    return command


def ffmpeg(source: Path, target: Path, factor: Fraction) -> list[str]:
    rate = f"aresample={factor.numerator * UNIT}"
    return ["ffmpeg", "-v", "error", "-y", "-i", str(source), "-af", rate, "-f", "f32le", str(target)]


RESAMPLERS = {
    "ours: linear": ours("interpolation=linear"),
    "ours: cubic": ours("interpolation=cubic"),
    "ours: sinc 4": ours("quality=4"),
    "ours: sinc 6": ours("quality=6"),
    "ours: sinc 10": ours("quality=10"),
    "audioresample 4": audioresample(4),
    "audioresample 10": audioresample(10),
    "speed": speed,
    "pitch": pitch,
    "SoX rate -h": sox("-h"),
    "SoX rate -v": sox("-v"),
    "FFmpeg aresample": ffmpeg,
}


FROM_RATE_TO_RATE = ("audioresample", "SoX", "FFmpeg")


def labelled_rate(name: str, factor: Fraction) -> int:
    """Returns the sample rate that the input file of a resampler must declare, in Hz."""
    return factor.denominator * UNIT if name.startswith(FROM_RATE_TO_RATE) else RATE


def run(command: list[str]) -> None:
    """Runs a command. If it fails, exits with its standard error."""
    result = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"resampling.py: {' '.join(command)}\n{result.stderr}")
