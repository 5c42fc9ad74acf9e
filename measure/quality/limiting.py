#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures how loud the tool's files are, compared with their input: drum loops and songs that reach full scale, at
another tempo or pitch. Prints Markdown."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Must be set before numpy is imported: one thread, because the machine may have other users.
for _library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from stretch import peers, provenance, recordings, report, song  # noqa: E402
from stretch.audio import decibels, read_wav, write_wav  # noqa: E402
from stretch.loudness import loudness  # noqa: E402
from stretch.score import RATE, Score  # noqa: E402

SETTINGS = {"tempo 0.5": 2, "tempo 0.75": 4 / 3, "semitones 3": 1, "semitones -3": 1}
ROOM_DB = 12  # for the peaks that the new tempo or pitch makes
WAYS = {"the stretch alone": ["--gain", f"-{ROOM_DB}"], "`--guard`": ["--guard"], "limited": []}
SECONDS = 12
QUIET_S = 0.4  # as in the momentary loudness of EBU R128


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tool = os.environ.get("RETROGRADE_TOOL") or peers.ROOT / "build/tool/retrograde"
    parser.add_argument("--tool", type=Path, default=tool)
    parser.add_argument("files", type=Path, nargs="*", help="other pieces, as 16-bit WAV files at 44.1 kHz")
    return parser.parse_args()


def pieces(folder: Path) -> list[Path]:
    """Writes the loops of sonic-pi-samples, and three songs that were 3, 6 and 9 dB too loud and were clipped."""
    sounds = {path.stem: recordings.decoded(path) for path in sorted(recordings.SONIC_PI.glob("loop_*.flac"))}
    sounds = {name: sound / np.abs(sound).max() for name, sound in sounds.items()}
    for excess in (3, 6, 9):
        sound = song.song(Score(excess))
        sounds[f"song+{excess}"] = sound / np.abs(sound).max() * 10 ** (excess / 20)
    for name, sound in sounds.items():
        times = -(-SECONDS * RATE // len(sound))
        write_wav(folder / f"{name}.wav", np.tile(sound, (times, 1))[: SECONDS * RATE].clip(-1, 1), 16)
    return sorted(folder.glob("*.wav"))


def powers(path: Path, factor: float) -> np.ndarray:
    """Returns the mean power in windows of QUIET_S of the input's time, four of them overlapping."""
    samples = read_wav(path).astype(float)
    power = samples**2 if samples.ndim == 1 else (samples**2).mean(1)
    sums = np.concatenate([[0], np.cumsum(power)])
    length = QUIET_S * factor * RATE
    starts = np.arange(0, len(power) - length, length / 4).astype(int)
    return (sums[starts + int(length)] - sums[starts]) / length


def quiet_db(output: Path, source: Path, factor: float) -> float:
    """Returns how much louder the quietest quarter of the windows became."""
    before, after = powers(source, 1), powers(output, factor)
    count = min(len(before), len(after))
    before, after = before[:count], after[:count]
    quiet = before <= np.quantile(before, 0.25)
    return float(decibels(after[quiet].sum()) - decibels(before[quiet].sum()))


def measure(tool: Path, source: Path, target: Path, setting: str, way: str) -> dict[str, float]:
    """Returns how much louder the file and its quiet parts became, in LU and dB, and how many samples clipped."""
    option, value = setting.split()
    lost = ROOM_DB if "--gain" in WAYS[way] else 0
    words = [tool, "scale", f"--{option}={value}", *WAYS[way], "--json", "-f", source, "-o", target]
    told = subprocess.run(words, env=peers.ENVIRONMENT, check=True, capture_output=True, text=True).stdout
    return {
        "loudness": loudness(target) - loudness(source) + lost,
        "quiet": quiet_db(target, source, SETTINGS[setting]) + lost,
        "clipped": json.loads(told.splitlines()[-1])["clipped"],
    }


def mean_and_worst(values: list[float]) -> str:
    return f"{np.mean(values):+.1f} ({max(values, key=abs):+.1f})"


def main() -> None:
    asked, rows = arguments(), []
    if not asked.tool.exists():
        sys.exit("There is no tool to measure: run `make tool` first.")
    with tempfile.TemporaryDirectory(prefix="limiting") as folder:
        sources = asked.files or pieces(Path(folder))
        for setting in SETTINGS:
            for way in WAYS:
                told = [measure(asked.tool, source, Path(folder, "new", source.name), setting, way) for source in sources]
                for source, figures in zip(sources, told, strict=True):
                    print(setting, way, source.stem, figures, file=sys.stderr)
                by_name = {name: [figures[name] for figures in told] for name in told[0]}
                changes = [mean_and_worst(by_name[name]) for name in ("loudness", "quiet")]
                rows.append([setting, way, *changes, str(sum(by_name["clipped"]))])
    print(report.table(["", "", "louder by LU", "quiet parts by dB", "clipped samples"], rows))
    print(provenance.line("make quality PARTS=limiting"))


if __name__ == "__main__":
    main()
