# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs whole programs in turn, and measures their time and memory."""

import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "measure/quality"))
from resamplers import ENVIRONMENT  # noqa: E402

FIRST_BYTES = 1 << 15


@dataclass
class Cost:
    """The cost of one run, or the medians of several."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def cost_of(command: list[str], output: Path | None = None) -> Cost | None:
    """The time and memory that a program needs; its output is removed. If the program fails, prints a
    line to stderr and returns None. The program is not a direct child of this process, because the
    memory of this process would then be counted."""
    with tempfile.NamedTemporaryFile("r") as figures:
        timed = ["/usr/bin/time", "-q", "-f", "%U %S %M", "-o", figures.name, *command]
        begun = time.monotonic()
        done = subprocess.run(timed, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wall_s = time.monotonic() - begun
        user_s, system_s, peak_kb = (float(word) for word in figures.read().split())
    if output is not None:
        output.unlink(missing_ok=True)
    return Cost(wall_s, user_s + system_s, peak_kb / 1024) if succeeded(done) else None


def succeeded(done: subprocess.CompletedProcess) -> bool:
    """Whether the program succeeded. If not, prints the end of its output to stderr."""
    if done.returncode != 0:
        print(f"status {done.returncode} of {done.args}: {done.stderr[-400:].decode(errors='replace')}", file=sys.stderr)
    return done.returncode == 0


def median_of(costs: list[Cost | None]) -> Cost | None:
    """The medians of the times, and the highest peak of the memory; None if one run failed."""
    if None in costs or not costs:
        return None
    return Cost(
        statistics.median(cost.wall_s for cost in costs),
        statistics.median(cost.cpu_s for cost in costs),
        max(cost.peak_mb for cost in costs),
    )


def interleaved(commands: dict[str, list[str]], rounds: int, output: Path | None = None) -> dict[str, Cost | None]:
    """Runs each of the commands in turn, `rounds` times."""
    costs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(cost_of(command, output))
    return {name: median_of(each) for name, each in costs.items()}


def first_bytes_s(command: list[str]) -> float:
    """Waits until enough of the standard output has arrived to contain audio."""
    begun = time.monotonic()
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.read(FIRST_BYTES)
        taken_s = time.monotonic() - begun
        process.kill()
    return taken_s
