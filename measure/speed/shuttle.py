#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays an hour of each format in real time, at speeds that are drawn twice a second with the other sign,
and compares the output with a 64-bit model of the tape on a forward decode of the same file.
Says how early the buffers were (below 0: a gap), how large the error is, and how much memory the process
took. All formats play at the same time."""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from model import Tape, read

ROOT = Path(__file__).resolve().parents[2]
# avdec_mp3 decodes every other sample one step apart after each seek
ENVIRONMENT = dict(
    os.environ, GST_PLUGIN_PATH_1_0=str(ROOT / "build/gst-plugin"), GST_PLUGIN_FEATURE_RANK="mpg123audiodec:MAX"
)
RATE = 44100
ENCODERS = {
    "wav": ["-c:a", "pcm_s16le"],
    "flac": ["-c:a", "flac"],
    # and mpg123 some samples of one channel
    "mp3": ["-c:a", "libmp3lame", "-b:a", "192k", "-ac", "2"],
    "opus": ["-c:a", "libopus", "-b:a", "96k"],
}
# bells over noise: each second is another
SOUND = (
    "aevalsrc='0.3*sin(2*PI*(220+37*mod(floor(t),31))*t)*exp(-2*mod(t,1))"
    "+0.2*sin(2*PI*(1000+113*mod(floor(t),29))*t)*exp(-4*mod(t,0.5))+0.03*(random(0)-0.5)':s=%d:d=%d"
)


def make(folder: Path, name: str, seconds: int) -> Path:
    path = folder / f"hour.{name}"
    if not path.exists():
        source = ["-f", "lavfi", "-i", SOUND % (RATE, seconds)] if name == "wav" else ["-i", folder / "hour.wav"]
        subprocess.run(["ffmpeg", "-v", "error", "-y", *source, *ENCODERS[name], path], check=True)
    return path


def curve(seconds: float, seed: int) -> list[tuple[float, float]]:
    """Speeds of 0.1 to 8 with alternating signs, after half a second at 2, as the player begins."""
    draw = random.Random(seed)
    points = [(0.0, 2.0), (0.5, 2.0)]
    while points[-1][0] < seconds:
        sign = -1 if points[-1][1] > 0 else 1
        points.append((points[-1][0] + 0.5, sign * 0.1 * 80 ** draw.random()))
    return points


def decode(path: Path) -> tuple[np.ndarray, int]:
    """The file, decoded forwards by GStreamer, and its rate."""
    raw = path.with_suffix(path.suffix + ".f32")
    rate = 48000 if path.suffix == ".opus" else RATE
    if not raw.exists():
        words = f"filesrc location={path} ! decodebin ! audioconvert ! audio/x-raw,format=F32LE,channels=1"
        subprocess.run(["gst-launch-1.0", "-q", *words.split(), "!", "filesink", f"location={raw}"], check=True, env=ENVIRONMENT)
    return np.memmap(raw, np.float32, "r"), rate


def start(program: Path, path: Path, points: list[tuple[float, float]], at: float) -> subprocess.Popen:
    table = path.with_suffix(path.suffix + ".curve")
    table.write_text("".join(f"{seconds!r} {speed!r}\n" for seconds, speed in points))
    log = open(path.with_suffix(path.suffix + ".log"), "w")
    return subprocess.Popen(
        ["/usr/bin/time", "-f", "%M %U %S", program, path, table, path.with_suffix(path.suffix + ".out"), str(at)],
        stdout=log,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def kept(path: Path):
    with open(path.with_suffix(path.suffix + ".out"), "rb") as file:
        while line := file.readline():
            number, frames = map(int, line.split())
            yield number, np.frombuffer(file.read(4 * frames), np.float32)


def late_frames(wave: np.ndarray, first: np.ndarray, frame: int) -> int:
    """How many frames after `frame` a seek has led, since the times of MP3 are some frames off after half an
    hour."""
    part = wave[frame - 1000 : frame + 2 * len(first) + 1000].astype(float)
    whole = np.arange(len(first)) * 2
    errors = [((wave_at(part, whole + 1000 + n) - first) ** 2).sum() for n in range(-8, 9)]
    return int(np.argmin(errors)) - 8


def wave_at(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return read(part, whole, np.zeros(len(whole)), np.full(len(whole), 2.0), 6)


def error_db(path: Path, points: list[tuple[float, float]], at: float) -> float:
    """The error of the buffers that were kept, in dB of their own level."""
    wave, rate = decode(path)
    times, speeds = zip(*points)
    n_frames = rate // 100
    heard = dict(kept(path))
    tape = Tape(round(at * rate) + late_frames(wave, heard[0], round(at * rate)), 2.0)
    wrong = level = 0.0
    for number in range(max(heard) + 1):
        end_ns = ((number + 1) * n_frames * 10**9) // rate
        whole, fraction, speed = tape.ramp(float(np.interp(end_ns / 1e9, times, speeds)), n_frames)
        if number in heard:
            wanted = read(wave, whole, fraction, speed, 6)
            wrong += float(((heard[number] - wanted) ** 2).sum())
            level += float((wanted**2).sum())
    return 10 * np.log10(wrong / level)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="of playback")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the files are kept; by default they are removed")
    parser.add_argument("--formats", default=",".join(ENCODERS))
    options = parser.parse_args()
    subprocess.run(["ninja", "-C", ROOT / "build", "measure/speed/shuttle"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        paths = [make(folder, name, 3600) for name in ENCODERS if name in ("wav", *options.formats.split(","))]
        paths = [path for path in paths if path.suffix[1:] in options.formats.split(",")]
        points = curve(options.minutes * 60, options.seed)
        players = [start(ROOT / "build/measure/speed/shuttle", path, points, 1800) for path in paths]
        print("file       buffers  earliest, latest by   gaps   error      memory   processor")
        for path, player in zip(paths, players):
            said = player.communicate()[1].split()
            if player.returncode != 0:
                sys.exit(f"{path.name}: {' '.join(said)}")
            early = np.loadtxt(path.with_suffix(path.suffix + ".log"))[:, 1] / 1e6
            kilobytes, user, system = map(float, said[-3:])
            print(
                f"{path.name:10} {len(early):7}  {early.max():6.1f}  {early[1:].min():6.1f} ms"
                f"  {(early[1:] < 0).sum():6}  {error_db(path, points, 1800):6.1f} dB"
                f"  {kilobytes / 1024:5.1f} MiB  {user + system:5.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
