#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the tool on one long file, reversed or scaled to WAV, compared with other programs. Prints
a table in Markdown for each task.

The programs run in turn, and write the same sample format; each figure is the minimum of all rounds, so
that other load on the machine has little influence. If two results of the tool differ in a bit, this is
an error. SoX reads neither Opus nor M4A."""

import argparse
import hashlib
import sys
from pathlib import Path

from inputs import FOLDER, FORMATS, ROOT, encode, sound_file
from processes import cost_of

# formats whose decoders return floating-point samples
FLOATS = ("Ogg Vorbis", "Opus", "M4A")
NAMES = ("WAV", "FLAC", "MP3", "Ogg Vorbis", "Opus", "M4A")
OUTPUT = FOLDER / "out.wav"


def source_of(name: str, minutes: int) -> Path:
    if name != "M4A":
        return sound_file(name, minutes)
    form = next(form for form in FORMATS if form.name == "AAC in MP4")
    path = FOLDER / f"{minutes * 60}s-{form.file_name(2)}"
    if not path.exists():
        encode(sound_file("WAV", minutes), form, 2, path)
    return path


def rate_of(name: str) -> int:
    return 48000 if name == "Opus" else 44100


# the options of the tool, and the equivalent filters of FFmpeg and SoX
TASKS = {
    "reverse": (["reverse"], {"areverse": "areverse"}, ["reverse"]),
    "scale --factor 1.5": (
        ["scale", "--factor", "1.5"],
        {"soxr": "asetrate={slower},aresample={rate}:resampler=soxr"},
        ["speed", repr(2 / 3)],
    ),
    "scale --tempo 0.75": (
        ["scale", "--tempo", "0.75"],
        {"rubberband": "rubberband=tempo=0.75", "atempo": "atempo=0.75"},
        ["tempo", "-m", "0.75"],
    ),
    "scale --semitones 3": (
        ["scale", "--semitones", "3"],
        {"rubberband": f"rubberband=pitch={2 ** (3 / 12)!r}"},
        ["pitch", "300"],
    ),
}


def commands(task: str, name: str, source: Path, tools: list[str]) -> dict[str, list[str]]:
    ours, filters, effect = TASKS[task]
    codec = "pcm_f32le" if name in FLOATS else "pcm_s16le"
    rate = rate_of(name)
    found = {}
    for peer, graph in filters.items():
        graph = graph.format(slower=rate * 2 // 3, rate=rate)
        found[f"FFmpeg {peer}"] = ["ffmpeg", "-v", "error", "-y", "-i", source, "-af", graph, "-c:a", codec, OUTPUT]
    if name not in ("Opus", "M4A"):
        depth = ["-e", "floating-point", "-b", "32"] if name in FLOATS else ["-b", "16"]
        found["SoX"] = ["sox", source, *depth, OUTPUT, *effect]
    for tool in tools:
        mark = f" ({tool})" if len(tools) > 1 else ""
        found[f"retrograde{mark}"] = [tool, *ours, "-q", "-f", source, "-o", OUTPUT]
    return found


def measure(task: str, name: str, minutes: int, rounds: int, tools: list[str]) -> None:
    programs = commands(task, name, source_of(name, minutes), tools)
    costs, sums = {program: [] for program in programs}, set()
    for _ in range(rounds):
        for program, command in programs.items():
            costs[program].append(cost_of([str(word) for word in command]))
            if program.startswith("retrograde"):
                with OUTPUT.open("rb") as result:
                    sums.add(hashlib.file_digest(result, "md5").hexdigest())
            OUTPUT.unlink(missing_ok=True)
    if len(sums) != 1:
        sys.exit(f"{name}: the tool has written different files")
    for program, all_of_it in costs.items():
        if None in all_of_it:
            print(f"| {name} | {program} | failed | | |", flush=True)
            continue
        wall, cpu = (min(getattr(cost, what) for cost in all_of_it) for what in ("wall_s", "cpu_s"))
        print(f"| {name} | {program} | {wall:.2f} | {cpu:.2f} | {max(cost.peak_mb for cost in all_of_it):.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=int, nargs="?", default=60)
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    parser.add_argument("tools", nargs="*", default=[str(ROOT / "build/tool/retrograde")], help="tools to compare")
    parser.add_argument("--task", action="append", choices=TASKS, help="all of them by default")
    parser.add_argument("--type", action="append", choices=NAMES, help="all of them by default")
    chosen = parser.parse_args()
    for task in chosen.task or TASKS:
        print(f"\n| {task}, {chosen.minutes} minutes | | s | s of processor time | peak MB |\n|---|---|---|---|---|")
        for name in chosen.type or NAMES:
            measure(task, name, chosen.minutes, chosen.rounds, chosen.tools)


if __name__ == "__main__":
    main()
