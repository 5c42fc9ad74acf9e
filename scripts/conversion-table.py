#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the tables of docs/conversions.md: every type of input, reversed into every type of output
and verified; and the tool's messages for bad input. The inputs are those of Tests/tool. """

import concurrent.futures
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/tool"))
import bad_inputs  # noqa: E402
import toolrun  # noqa: E402
from conversions import INPUTS, OUTPUTS, Inputs  # noqa: E402

SIGNS = {"exact": "=", "rounded": "≈"}


def verified(folder: Path, source: Path, output) -> str:
    """Reverses a file with --verify. Returns the symbol for the result: =, ≈, s or no."""
    target = folder / f"{source.name}-{output.codec}.{output.type}"
    words = ["reverse", source, "-o", target, "--codec", output.codec, "--verify", "--json"]
    result = toolrun.tool(folder, *words, "--seam", "smooth", status=None)
    last = json.loads(result.stdout.splitlines()[-1])
    if last["event"] == "finished" and last["verification"]["verdict"] == "different":
        # The decoder may substitute different noise at each decode. If the file is decoded only
        # once, the result must be exact.
        result = toolrun.tool(folder, *words, "--force", "--seam", "exact", status=None)
        last = json.loads(result.stdout.splitlines()[-1])
        return "s" if last["verification"]["verdict"] in SIGNS else "no"
    return SIGNS[last["verification"]["verdict"]] if last["event"] == "finished" else "no"


def print_conversions(folder: Path, sounds: Inputs) -> int:
    """Returns the number of failed conversions."""
    print("| | " + " | ".join(f"{output.type} {output.codec}" for output in OUTPUTS) + " |")
    print("|---" * (len(OUTPUTS) + 1) + "|")
    failed = 0
    for source in INPUTS:
        path = sounds[source.file]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            cells = list(pool.map(lambda output: verified(folder, path, output), OUTPUTS))
        failed += cells.count("no")
        print(f"| `{source.file}` | " + " | ".join(cells) + " |", flush=True)
    print("\n`=`: when the result is reversed again, every frame is that of the input. `≈`: the same except for")
    print("rounding, by at most 1.5 steps of an output with fewer bits, or by one 16-bit step if the input is lossy.")
    print("`s`: the same with `--seam exact`, because the decoder generates different noise each time. With a lossy")
    print("output, the samples before its encoder are compared.\n")
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
