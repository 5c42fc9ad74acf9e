#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the tables of docs/conversions.md: every type of input, reversed into every type of output;
and the tool's messages for bad input. The inputs are those of Tests/tool. """

import concurrent.futures
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/tool"))
import bad_inputs  # noqa: E402
import toolrun  # noqa: E402
from conversions import INPUTS, OUTPUTS, Inputs  # noqa: E402


def converted(folder: Path, source: Path, output) -> str:
    """Reverses a file, and compares the result. Returns its symbol: =, ≈, ~ or no."""
    target = folder / f"{source.name}-{output.codec}.{output.type}"
    words = ["reverse", source, "-o", target, "--codec", output.codec]
    if toolrun.tool(folder, *words, status=None).returncode:
        return "no"
    found, expected = toolrun.samples(target), toolrun.samples(source)[::-1]
    if found.shape != expected.shape or not output.lossless:
        return "~"
    difference = np.abs(found - expected)
    if difference.max() <= 1.5 / 32768:
        return "≈" if difference.any() else "="
    return "~" if np.sqrt(np.mean(difference**2)) <= 10 ** (-60 / 20) else "no"


def print_conversions(folder: Path, sounds: Inputs) -> int:
    """Returns the number of failed conversions."""
    print("| | " + " | ".join(f"{output.type} {output.codec}" for output in OUTPUTS) + " |")
    print("|---" * (len(OUTPUTS) + 1) + "|")
    failed = 0
    for source in INPUTS:
        path = sounds[source.file]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cells = list(pool.map(lambda output: converted(folder, path, output), OUTPUTS))
        failed += cells.count("no")
        print(f"| `{source.file}` | " + " | ".join(cells) + " |", flush=True)
    print("\n`=`: every frame is that of the input. `≈`: the same except for rounding, by at most 1.5 steps of 16 bits.")
    print("`~`: the codec of the output, its rate or channels, or the noise of the input's decoder change samples.\n")
    return failed


def print_bad_inputs(folder: Path, sounds: Inputs) -> int:
    """Returns the number of bad inputs that were accepted by mistake."""
    print("| bad input | message | status |\n|---|---|---|")
    accepted = 0
    for number, bad in enumerate(bad_inputs.BAD_INPUTS):
        place = folder / str(number)
        place.mkdir()
        result = toolrun.tool(place, *bad.arguments(place, sounds), status=None)
        text = bad_inputs.sentence(result).replace(f"{place}/", "").replace(f"{sounds.folder}/", "")
        text = text.replace(str(place), "folder")
        print(f"| {bad.name} | {text.replace('|', chr(92) + '|').replace('n' * 251, 'n…n')} | {result.returncode} |")
        accepted += result.returncode == 0
    return accepted


def main() -> int:
    toolrun.build()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("sounds", "new", "bad"):
            (folder / part).mkdir()
        sounds = Inputs(folder / "sounds")
        wrong = print_conversions(folder / "new", sounds) + print_bad_inputs(folder / "bad", sounds)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
