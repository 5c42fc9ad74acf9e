# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The input files of the measurements, all with the same sound. Missing files are made."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "measure/quality"))
sys.path.insert(0, str(ROOT / "measure/reverse-table"))
from resamplers import RATE  # noqa: E402
from resampling import write_wav  # noqa: E402
from reverse_inputs import FORMATS, make_file  # noqa: E402

FOLDER = ROOT / "build/bench"
FORMAT_NAMES = {"WAV": "WAV", "FLAC": "FLAC", "MP3 VBR": "MP3", "Vorbis in Ogg": "Ogg Vorbis", "Opus in Ogg": "Opus"}
SEEK_TABLE = "FLAC, seek table"
PIECE_MINUTES = 10
HOUR_MINUTES = 60


def formats() -> dict:
    """The formats by the names in the tables."""
    found = {}
    for form in FORMATS:
        name = FORMAT_NAMES.get(form.name)
        if name and name not in found:
            found[name] = form
    found[SEEK_TABLE] = replace(found["FLAC"], suffix="ch-table.flac")
    return found


def join(piece: Path, times: int, target: Path) -> None:
    """Writes a file that repeats `piece` this many times, without encoding it again."""
    words = target.with_suffix(".txt")
    words.write_text(f"file '{piece.name}'\n" * times)
    part = target.with_name("part-" + target.name)
    command = ["ffmpeg", "-v", "error", "-y", "-f", "concat", "-i", words, "-c", "copy", part]
    subprocess.run(command, check=True)
    words.unlink()
    part.rename(target)


def encode(source: Path, form, channels: int, target: Path) -> None:
    part = target.with_name("part-" + target.name)
    command = ["ffmpeg", "-v", "error", "-y", "-i", source, "-bitexact", *form.options(channels), part]
    subprocess.run(command, check=True)
    part.rename(target)


def add_seek_table(plain: Path, target: Path) -> Path:
    """Copies a FLAC and adds a seek table with a point every ten seconds, as FLAC's own encoder
    does."""
    if not target.exists():
        part = target.with_name("part-" + target.name)
        shutil.copyfile(plain, part)
        subprocess.run(["metaflac", "--add-seekpoint=10s", part], check=True)
        part.rename(target)
    return target


def sound_file(name: str, minutes: int, channels: int = 2) -> Path:
    """Returns a file of `minutes` minutes. If it is longer than ten minutes, ten minutes of sound
    are repeated. No program detects the repetition, so it does not affect the results."""
    form = formats()[name]
    path = FOLDER / f"{minutes * 60}s-{form.file_name(channels)}"
    if name == SEEK_TABLE:
        return add_seek_table(sound_file("FLAC", minutes, channels), path)
    if minutes <= PIECE_MINUTES:
        return make_file(FOLDER, form, channels, minutes * 60)
    if path.exists():
        return path
    if name == "WAV":
        join(sound_file(name, PIECE_MINUTES, channels), minutes // PIECE_MINUTES, path)
    elif minutes <= HOUR_MINUTES:
        encode(sound_file("WAV", minutes, channels), form, channels, path)
    else:
        join(sound_file(name, HOUR_MINUTES, channels), minutes // HOUR_MINUTES, path)
    return path


def noise_file(minutes: int, rate: int = RATE) -> Path:
    """Returns a WAV file of stereo noise in 32-bit floating point. Its header declares the rate
    `rate`."""
    path = FOLDER / f"{minutes}min-{rate}.wav"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        noise = np.random.default_rng(1).uniform(-0.5, 0.5, (minutes * 60 * RATE, 2))
        write_wav(path, noise.astype("<f4"), rate)
    return path
