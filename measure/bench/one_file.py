#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One long file reversed into WAV by the tool, with one decoder and with one for each core,
beside FFmpeg. Prints a table in Markdown.

usage: one_file.py [MINUTES [ROUNDS [TOOL …]]]

MINUTES is 60, ROUNDS 5, and the tool build/tool/retrograde; several tools are compared.
All write samples of the same format. The programs run in turn, and the figures are the least
of all rounds, so that what else the machine does counts little. Two results of the tool that
differ in a bit are an error."""

import hashlib
import os
import sys
from pathlib import Path

from inputs import FOLDER, FORMATS, ROOT, encode, sound_file
from processes import cost_of

# what decoders give
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


def commands(name: str, source: Path, tools: list[str]) -> dict[str, list[str]]:
    codec = "pcm_f32le" if name in FLOATS else "pcm_s16le"
    found = {"FFmpeg": ["ffmpeg", "-v", "error", "-y", "-i", source, "-af", "areverse", "-c:a", codec, OUTPUT]}
    for tool in tools:
        mark = f" ({tool})" if len(tools) > 1 else ""
        for jobs in (1, os.cpu_count()):
            found[f"-j {jobs}{mark}"] = [tool, "reverse", "-q", "-f", f"-j{jobs}", source, "-o", OUTPUT]
    return found


def measure(name: str, minutes: int, rounds: int, tools: list[str]) -> None:
    programs = commands(name, source_of(name, minutes), tools)
    costs, sums = {program: [] for program in programs}, set()
    for _ in range(rounds):
        for program, command in programs.items():
            costs[program].append(cost_of([str(word) for word in command]))
            if program != "FFmpeg":
                with OUTPUT.open("rb") as result:
                    sums.add(hashlib.file_digest(result, "md5").hexdigest())
            OUTPUT.unlink()
    if len(sums) != 1:
        sys.exit(f"{name}: the tool has written different files")
    for program, all_of_it in costs.items():
        wall, cpu = (min(getattr(cost, what) for cost in all_of_it) for what in ("wall_s", "cpu_s"))
        print(f"| {name} | {program} | {wall:.2f} | {cpu:.2f} | {max(cost.peak_mb for cost in all_of_it):.0f} |", flush=True)


def main() -> None:
    minutes = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    tools = sys.argv[3:] or [str(ROOT / "build/tool/retrograde")]
    print(f"| {minutes} minutes | | s | s of processor time | peak MB |\n|---|---|---|---|---|")
    for name in NAMES:
        measure(name, minutes, rounds, tools)


if __name__ == "__main__":
    main()
