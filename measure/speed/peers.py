#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares how programs read a sound at any speed: the error of the output against sines at positions in
closed form, and the rest of tones that the speed moves above the band. revbuf is measured as it is. The
others but mpv are models of their sources' interpolation, at the same positions, so their own errors of the position
don't count:

- Mixxx (enginebufferscalelinear.cpp) and an AudioBufferSourceNode in Chromium: a straight line between two
  frames
- xwax (player.c): a cubic through four frames, in S16 with dither; its fade by speed is left out
- an editor's scrub: pieces of 80 ms at the pointer's position, faded in and out within 10 ms

mpv is measured as it is, too, without pitch correction, on a WAV file. It has no curves.

Writes the table to stdout."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from model import Tape

ROOT = Path(__file__).resolve().parents[2]
os.environ["GST_PLUGIN_PATH_1_0"] = str(ROOT / "build/gst-plugin")
import gi  # noqa: E402

gi.require_version("Gst", "1.0")
gi.require_version("GstController", "1.0")
from gi.repository import Gst, GstController  # noqa: E402

RATE = 44100
BUFFER = RATE // 100
START_SECONDS = 12
LOW = (110, 440, 997, 2990)
BAND = (110, 997, 4990, 9970)
HIGH = (8110, 10990, 14030, 17010, 19990)


def constant(speed: float) -> list[tuple[float, float]]:
    return [(0, speed), (2, speed)]


def scratch(cycles: float) -> list[tuple[float, float]]:
    times = np.arange(0, 2.0001, 0.01)
    return [(t, 3 * np.cos(2 * np.pi * cycles * t)) for t in times]


# name, frequencies, curve of the speed, whether the tones should vanish
CASES = [
    ("speed 1.5", BAND, constant(1.5), False),
    ("speed 0.25", (*BAND, 14990), constant(0.25), False),
    ("speed 3, tones above the band", HIGH, constant(3), True),
    ("speed −1.5", BAND, constant(-1.5), False),
    ("scratch, ±3 at 2 Hz", LOW, scratch(2), False),
    ("scratch, ±3 at 8 Hz", LOW, scratch(8), False),
    ("spin-back", LOW, [(0, 1), (0.5, 1), (1, -6), (2, -0.05)], False),
    ("tape stop", BAND, [(0, 1), (0.5, 1), (2, 0.02)], False),
]


def sines(frequencies: tuple[float, ...], positions: np.ndarray) -> np.ndarray:
    turns = np.outer(frequencies, positions / RATE)
    return np.sin(2 * np.pi * (turns - np.floor(turns))).sum(axis=0) / (2 * len(frequencies))


def positions(curve: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Position and speed of each output frame of the curve."""
    times, speeds = zip(*curve)
    # backwards, a seek to a time begins with the frame before it
    tape = Tape(START_SECONDS * RATE - (speeds[0] < 0), float(speeds[0]))
    parts = []
    for number in range(int(times[-1] * 100)):
        target = float(np.interp((number + 1) / 100, times, speeds))
        whole, fraction, speed = tape.ramp(target, BUFFER)
        parts.append((whole + fraction, speed))
    return tuple(np.concatenate(part) for part in zip(*parts))


# ---- readers: wave, positions and speeds to sound


def line(wave, place, _):
    whole = np.floor(place).astype(int)
    part = place - whole
    return wave[whole] * (1 - part) + wave[whole + 1] * part


def cubic(wave, place, _):
    steps = np.round(wave * 32767)
    whole = np.floor(place).astype(int)
    part = place - whole
    before, left, right, after = (steps[whole + n] for n in (-1, 0, 1, 2))
    third = after - right - before + left
    value = ((third * part + (before - left - third)) * part + (right - before)) * part + left
    dither = np.random.default_rng(1).random(len(place)) - 0.5
    return np.trunc(value + dither) / 32767


def snippets(wave, place, _):
    n, length, fade = np.arange(len(place)), RATE * 8 // 100, RATE // 100
    inside = n % length
    gain = np.minimum(1, np.minimum(inside, length - inside) / fade)
    return gain * wave[np.floor(place[n - inside]).astype(int) + inside]


class Revbuf:
    """revbuf in a pipeline, with a curve of its speed."""

    def __init__(self, quality: int, sample_format: str):
        self.quality, self.format = quality, sample_format

    def __call__(self, wave, place, speed, curve):
        with tempfile.NamedTemporaryFile(suffix=".f64") as file:
            wave.astype(np.float64).tofile(file.name)
            return self.play(file.name, curve, len(place))

    def play(self, path: str, curve, n_frames: int) -> np.ndarray:
        pipeline = Gst.parse_launch(
            f"filesrc location={path} ! rawaudioparse format=pcm pcm-format=f64le sample-rate={RATE} num-channels=1 "
            f"! audioconvert ! audio/x-raw,format={self.format} ! revbuf name=revbuf mode=seek quality={self.quality} "
            f"speed={curve[0][1]} ! audioconvert ! audio/x-raw,format=F64LE ! appsink name=sink sync=false max-buffers=4"
        )
        revbuf, sink = pipeline.get_by_name("revbuf"), pipeline.get_by_name("sink")
        pipeline.set_state(Gst.State.PAUSED)
        pipeline.get_state(Gst.CLOCK_TIME_NONE)
        source = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
        for seconds, speed in curve:
            source.set(round(seconds * Gst.SECOND), float(speed))
        revbuf.add_control_binding(GstController.DirectControlBinding.new_absolute(revbuf, "speed", source))
        pipeline.seek_simple(
            Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, START_SECONDS * Gst.SECOND
        )
        pipeline.get_state(Gst.CLOCK_TIME_NONE)
        pipeline.set_state(Gst.State.PLAYING)
        parts, made = [], 0
        while made < n_frames:
            sample = sink.emit("pull-sample")
            if sample is None:
                sys.exit("revbuf has ended early")
            buffer = sample.get_buffer()
            parts.append(np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.float64))
            made += len(parts[-1])
        pipeline.set_state(Gst.State.NULL)
        return np.concatenate(parts)[:n_frames]


def played_by_mpv(wave, speed: float, folder: str) -> np.ndarray:
    source, target = Path(folder, "in.wav"), Path(folder, "out.raw")
    rows = np.round(wave * 32767).astype("<i2").tobytes()
    words = "-v error -y -f s16le -ar 44100 -ac 1 -i - -c:a pcm_s16le".split()
    subprocess.run(["ffmpeg", *words, source], input=rows, check=True)
    options = f"--no-config --no-video --really-quiet --ao=pcm --ao-pcm-waveheader=no --ao-pcm-file={target}"
    options += f" --audio-format=s16 --audio-channels=mono --audio-pitch-correction=no --speed={abs(speed)}"
    options += f" --play-dir={'-' if speed < 0 else '+'}"
    subprocess.run(["mpv", *options.split(), source], check=True)
    return np.fromfile(target, "<i2") / 32767


def mpv_db(case) -> float:
    """The error of mpv at a constant speed. It plays the whole of a WAV file."""
    _, frequencies, curve, vanishes = case
    speed, wave = curve[0][1], sines(frequencies, np.arange(10 * RATE))
    with tempfile.TemporaryDirectory() as folder:
        heard = played_by_mpv(wave, speed, folder)
    place = (len(wave) - 1 if speed < 0 else 0) + np.arange(len(heard)) * speed
    inner = slice(len(heard) // 4, len(heard) // 2)
    wanted = np.zeros(len(heard)) if vanishes else sines(frequencies, place)
    return 10 * np.log10(((heard - wanted)[inner] ** 2).mean() / (wave**2).mean())


def modelled(read):
    return lambda wave, place, speed, curve: read(wave, place, speed)


READERS = [
    ("revbuf, quality 10, F64", Revbuf(10, "F64LE"), False),
    ("revbuf, default, F32", Revbuf(6, "F32LE"), False),
    ("revbuf, default, S16", Revbuf(6, "S16LE"), False),
    ("xwax", modelled(cubic), False),
    ("Mixxx", modelled(line), False),
    ("Web Audio in Chromium", modelled(line), True),
    ("an editor's scrub", modelled(snippets), False),
]


def level_db(read, case) -> float:
    _, frequencies, curve, vanishes = case
    place, speed = positions(curve)
    wave = sines(frequencies, np.arange(30 * RATE))
    wanted = np.zeros(len(place)) if vanishes else sines(frequencies, place)
    heard = read(wave, place, speed, curve)
    settled = slice(RATE // 20, None)
    wrong = ((heard - wanted)[settled] ** 2).mean()
    return 10 * np.log10(wrong / (wave**2).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    Gst.init(None)
    print("| error in dB | " + " | ".join(name for name, *_ in CASES) + " |")
    print("|---" * (len(CASES) + 1) + "|")
    for name, read, only_forward in READERS:
        cells = []
        for case in CASES:
            backward = min(speed for _, speed in case[2]) < 0
            cells.append("no" if only_forward and backward else f"−{abs(level_db(read, case)):.0f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    cells = ["no" if len({speed for _, speed in case[2]}) > 1 else f"−{abs(mpv_db(case)):.0f}" for case in CASES]
    print("| mpv | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
