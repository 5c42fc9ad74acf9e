#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the built plugin, and other programs and libraries that do the same work.

usage: bench.py [--quick] [--only-report] [kernels] [elements] [files] [scaling] [growth]

Without a name, all parts are run. Each part writes its results to build/bench/PART.json;
the results of all parts become measure/bench/results.md. With --quick,
shorter inputs are measured fewer times. These results are written to build/bench/quick, and
are too inexact for comparisons."""

import json
import os
import subprocess
import sys
import time

import growth
import report
import reversing
import scaling
from inputs import FOLDER, ROOT
from processes import ENVIRONMENT
from stretch import provenance  # in measure/quality, which inputs.py finds

SETTINGS = {"always-malloc": {"G_SLICE": "always-malloc", "RETROGRADE_BENCH_QUICK": "1"}, "plain": {}}


def program_rows(name: str, settings: dict, quick: bool) -> list[list[str]]:
    """Runs a program of this folder, and returns its rows."""
    environment = ENVIRONMENT | settings | ({"RETROGRADE_BENCH_QUICK": "1"} if quick else {})
    program = ROOT / "build/measure/bench" / name
    output = subprocess.run([program], env=environment, check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def kernels(quick: bool) -> list:
    return program_rows("bench_kernels", {}, quick)


def elements(quick: bool) -> list:
    """Returns the times with GLib's own allocator, and the numbers of malloc calls without it."""
    times = program_rows("bench_elements", {}, quick)
    counts = program_rows("bench_elements", SETTINGS["always-malloc"], True)
    return [[*time_row[:4], count_row[4]] for time_row, count_row in zip(times, counts)]


PARTS = {
    "kernels": kernels,
    "elements": elements,
    "files": lambda quick: reversing.measure(1 if quick else 60, 1 if quick else 3),
    "scaling": lambda quick: scaling.measure(1 if quick else 20, 1 if quick else 3),
    "growth": lambda quick: growth.measure([1, 10] if quick else [1, 10, 60, 600], 1 if quick else 3),
}


def main() -> None:
    words = sys.argv[1:]
    options = {word for word in words if word.startswith("-")}
    names = [word for word in words if word not in options] or list(PARTS)
    if not options <= {"--quick", "--only-report"} or not set(names) <= set(PARTS):
        sys.exit(__doc__)
    quick = "--quick" in options
    target = FOLDER / "quick" if quick else FOLDER
    if not options and "-dirty" in provenance.COMMIT:
        sys.exit("A table has to name a commit: commit your changes first, or use --quick.")
    target.mkdir(parents=True, exist_ok=True)
    for name in [] if "--only-report" in options else names:
        begun = time.monotonic()
        print(f"== {name}", flush=True)
        part = {"rows": PARTS[name](quick), "of": provenance.line(f"make bench PARTS={name}")}
        (target / f"{name}.json").write_text(json.dumps(part, indent=1))
        print(f"-- {time.monotonic() - begun:.0f} s", flush=True)
    report.write(target, target if quick else ROOT / "measure/bench", list(PARTS))


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
