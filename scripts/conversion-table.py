#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the table of docs/formats.md: every type of input, reversed into every type of output. The inputs are
those of Tests/tool. """

import concurrent.futures
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Tests/tool"), str(ROOT / "measure/quality")]
import toolrun  # noqa: E402
from conversions import INPUTS, OUTPUTS, Inputs  # noqa: E402
from stretch import provenance  # noqa: E402


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


def table(rows: dict[str, list[str]]) -> str:
    """Returns the table, with one row for inputs that differ in nothing, and one column for such outputs."""
    together: dict[tuple, list[str]] = {}
    for name, cells in rows.items():
        together.setdefault(tuple(cells), []).append(f"`{name}`")
    columns: dict[tuple, list[str]] = {}
    for output, cells in zip(OUTPUTS, zip(*together)):
        columns.setdefault(cells, []).append(f"{output.type} {output.codec}")
    heads = ["", *("<br>".join(names) for names in columns.values())]
    lines = [[", ".join(names), *cells] for names, cells in zip(together.values(), zip(*columns))]
    return "\n".join("| " + " | ".join(line) + " |" for line in [heads, ["---"] * len(heads), *lines])


def measure(folder: Path, sounds: Inputs) -> dict[str, list[str]]:
    rows = {}
    for source in INPUTS:
        path = sounds[source.file]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            rows[source.file] = list(pool.map(lambda output: converted(folder, path, output), OUTPUTS))
        print(source.file, *rows[source.file], flush=True)
    return rows


SIGNS_ARE = """`=`: every frame is the same as in the input. `≈`: the same except for rounding, by 1.5 steps of 16 bits at most. `~`: not the same samples, because of
the codec, the rate or the channels of the output, or the noise of the input's decoder."""


def main() -> int:
    toolrun.build()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("sounds", "new"):
            (folder / part).mkdir()
        rows = measure(folder / "new", Inputs(folder / "sounds"))
    text = f"{table(rows)}\n\n{SIGNS_ARE}\n\n{provenance.line('make conversion-table')}"
    provenance.put(ROOT / "docs/formats.md", "## Converted", text)
    return 1 if any("no" in cells for cells in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
