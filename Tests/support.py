# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Helpers for the tests in Python: they run programs and pipelines, and read the results.

import functools
import json
import os
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import wavfile

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "launch-examples"
MEDIA = EXAMPLES / "media"
PLUGIN = ROOT / "build/gst-plugin/libgstretrograde.so"
SAMPLE = MEDIA / "sample.mp3"
SOUNDS = sorted(path for path in MEDIA.iterdir() if path.suffix not in (".py", ".md"))

ENVIRONMENT = {
    **os.environ,
    "GST_PLUGIN_PATH_1_0": str(PLUGIN.parent),
    "GST_REGISTRY_1_0": str(ROOT / "build/gst-registry.bin"),
    "GST_PLUGIN_FEATURE_RANK": "mpg123audiodec:PRIMARY",  # as in the examples
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "SWIFT_BACKTRACE": "enable=no",  # a debug build may take a minute to print one
}


def mostly_long(values, *short) -> list:
    """Parameters of a test of which only those that are equal to one of `short` are run by `make check`,
    or have such a `file`."""
    def is_short(value):
        return getattr(value, "file", value) in short

    return [value if is_short(value) else pytest.param(*(value if isinstance(value, tuple) else [value]), marks=pytest.mark.long) for value in values]


def run(*command, status: int | None = 0, **options) -> subprocess.CompletedProcess:
    """Runs a command. Asserts its exit status, unless `status` is None."""
    result = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        **{"env": ENVIRONMENT, "timeout": 60, **options},
    )
    assert status in (result.returncode, None), f"status {result.returncode} of {command}\n{result.stdout}\n{result.stderr}"
    return result


def run_traced(folder: Path, *command, **options) -> subprocess.CompletedProcess:
    """Runs a command with GStreamer's leaks tracer. Asserts that no object is left at the end."""
    traces = folder / ".traces"
    traces.mkdir(exist_ok=True)
    tracing = {"GST_TRACERS": "leaks", "GST_DEBUG": "GST_TRACER:7", "GST_DEBUG_FILE": f"{traces}/%p-%r", "GST_DEBUG_NO_COLOR": "1"}
    result = run(*command, env=ENVIRONMENT | tracing, **options)
    for trace in traces.iterdir():
        lines = trace.read_text(errors="replace").splitlines()
        alive = [line for line in lines if "object-alive, " in line and "new format string" not in line]
        assert not alive, "\n".join(alive)
        trace.unlink()
    return result


def script(folder: Path, name: str, *arguments, **options) -> subprocess.CompletedProcess:
    """Runs an example in the folder, and checks for leaks.

    With --sink=wav, leaks are not checked: after a flush, the wavenc of GStreamer 1.22 leaks a
    buffer, with or without the plugin.
    """
    if "--sink=wav" in arguments:
        return run(EXAMPLES / name, *arguments, cwd=folder, **options)
    return run_traced(folder, EXAMPLES / name, *arguments, cwd=folder, **options)


def interpolations() -> list[str]:
    """Returns the values of `timescale interpolation=` from the plugin cache. `make lint` compares
    the cache with the element."""
    cache = json.loads((ROOT / "docs/plugins/gst_plugins_cache.json").read_text())
    types = cache["retrograde"]["other-types"]
    return [value["name"] for value in types["GstTimeScaleInterpolation"]["values"]]


def gst_launch(*pipeline: str, **options) -> subprocess.CompletedProcess:
    """Runs gst-launch-1.0. The arguments are joined to one pipeline description."""
    return run("gst-launch-1.0", "-q", *" ".join(pipeline).split(), **options)


@functools.cache
def decode(path: Path) -> wavfile.Wav:
    """Decodes a file with GStreamer, without the plugin."""
    target = ROOT / "build/test-decodes" / (path.name + ".wav")
    target.parent.mkdir(parents=True, exist_ok=True)
    uri = path.resolve().as_uri()
    source = ["uridecodebin", f"uri={uri}", "caps=audio/x-raw", "expose-all-streams=false"]
    if path.suffix == ".aiff":  # see common.sh
        source = [uri, "!", "aiffparse"]
    run(
        "gst-launch-1.0", "-q", *source, "!",
        "audioconvert", "!", "wavenc", "!", "filesink", f"location={target}",
    )  # fmt: skip
    return wavfile.read(target)


def assert_same_frames(actual: wavfile.Wav, rate: int, expected: np.ndarray) -> None:
    assert actual.rate == rate
    assert actual.frames.shape == expected.shape
    assert np.array_equal(actual.frames, expected)


def scaled_length(frames: int, factor: str | float) -> int:
    """Returns the number of output frames that timescale makes of `frames`. The factor counts as
    the decimal fraction that is written, not as the nearest double."""
    return int(frames * Fraction(str(factor)))


def ffprobe(path: Path) -> dict:
    """Returns codec, sample rate, channels, container and duration (s), as FFmpeg reports them."""
    result = run("ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", path)
    report = json.loads(result.stdout)
    (stream,) = [s for s in report["streams"] if s["codec_type"] == "audio"]
    return {
        "codec": stream["codec_name"],
        "rate": int(stream["sample_rate"]),
        "channels": stream["channels"],
        "container": report["format"]["format_name"],
        "seconds": float(report["format"]["duration"]),
    }


def ffmpeg_samples(path: Path, *options: str) -> np.ndarray:
    """Decodes a file with FFmpeg. Returns its samples by frame and channel, as 32-bit floats."""
    channels = ffprobe(path)["channels"]
    command = ["ffmpeg", "-v", "error", "-i", path, *options, "-f", "f32le", "-c:a", "pcm_f32le", "-"]
    output = subprocess.run(command, check=True, capture_output=True).stdout
    return np.frombuffer(output, "<f4").reshape(-1, channels)


def pitch(samples: np.ndarray, rate: int) -> float:
    """Returns the strongest frequency in the middle half of a channel, in Hz."""
    middle = samples[len(samples) // 4 : -len(samples) // 4]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle))))
    return float(spectrum.argmax() * rate / len(middle))


def write_wav(path: Path, rate: int, samples: np.ndarray) -> Path:
    """Writes samples (from -1 to 1, by frame and channel) to a 16-bit WAV. Returns `path`."""
    data = np.round(samples * 32767).astype("<i2").tobytes()
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "s16le", "-ar", str(rate), "-ac", str(samples.shape[1]), "-i", "-", path],
        input=data,
        check=True,
    )
    return path
