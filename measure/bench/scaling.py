# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times complete programs that lengthen and shorten twenty minutes of stereo."""

import json
import sys
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

from inputs import FOLDER, ROOT, noise_file
from processes import interleaved

sys.path.insert(0, str(ROOT / "measure/quality"))
from resamplers import RESAMPLERS, labelled_rate, ours  # noqa: E402

FACTORS = [Fraction(11, 10), Fraction(1, 2), Fraction(2)]
OUTPUT = FOLDER / "out.raw"


def soundstretch(source: Path, target: Path, factor: Fraction) -> list[str]:
    return ["soundstretch", str(source), str(target), f"-rate={float(100 / factor - 100)!r}"]


def rubberband(source: Path, target: Path, factor: Fraction) -> list[str]:
    """Changes duration and pitch together, as on a tape. Rubber Band can also change duration or
    pitch alone, and spends time on that ability."""
    return ["rubberband", "-q", "-t", repr(float(factor)), "-f", repr(float(1 / factor)), str(source), str(target)]


PROGRAMS = {
    "ours: nearest": ours("interpolation=nearest"),
    "ours: smooth": ours("interpolation=smooth"),
    **RESAMPLERS,
    "soundstretch": soundstretch,
    "rubberband": rubberband,
}

SLOW = ("rubberband",)


def measure(minutes: int, rounds: int) -> list[dict]:
    rows = []
    for factor in FACTORS:
        every = {
            name: command(noise_file(minutes, labelled_rate(name, factor)), OUTPUT.with_suffix(suffix(name)), factor)
            for name, command in PROGRAMS.items()
        }
        slow = {name: every.pop(name) for name in SLOW}
        costs = interleaved(every, rounds, OUTPUT) | interleaved(slow, 1, OUTPUT.with_suffix(".wav"))
        for name, cost in costs.items():
            rows.append({"factor": str(factor), "name": name, "cost": cost and asdict(cost)})
            print(json.dumps(rows[-1]), flush=True)
    OUTPUT.with_suffix(".wav").unlink(missing_ok=True)
    return rows


def suffix(name: str) -> str:
    return ".wav" if name in ("soundstretch", "rubberband") else ".raw"
