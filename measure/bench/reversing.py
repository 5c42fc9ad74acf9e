# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reverses an hour of audio with whole programs, compared with a plain forward decode."""

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from statistics import median

import numpy as np
from inputs import FOLDER, ROOT, formats, sound_file
from processes import ENVIRONMENT, Cost, first_bytes_s, interleaved, median_of, succeeded

sys.path.insert(0, str(ROOT / "measure/reverse-table"))
import reverse_run  # noqa: E402

OUTPUT = FOLDER / "out.wav"
FORWARD = "GStreamer, forward"
SEEK, COLLECT, STOCK = "revbuf mode=seek", "revbuf mode=collect", "GStreamer, rate -1"
SOX, FFMPEG = "SoX reverse", "FFmpeg areverse"
S16 = "audioconvert dithering=none ! audio/x-raw,format=S16LE"


def gst(source: Path, chain: str, elements: str, target: str) -> list[str]:
    line = f"filesrc location={source} ! {chain} ! {S16} ! {elements}wavenc ! filesink location={target}"
    return ["gst-launch-1.0", "-q", *line.split()]


def commands(source: Path, chain: str, target: str) -> dict[str, list[str]]:
    """Commands that write a WAV file."""
    backwards = "revbuf direction=reverse mode={} ! "
    return {
        FORWARD: gst(source, chain, "", target),
        SEEK: gst(source, chain, backwards.format("seek"), target),
        COLLECT: gst(source, chain, backwards.format("collect"), target),
        SOX: ["sox", "-V1", str(source), "-b", "16", "-t", "wav", target, "reverse"],
        FFMPEG: ["ffmpeg", "-v", "error", "-y", "-i", str(source), "-af", "areverse", "-f", "wav", target],
    }


def forward_of(name: str, command: list[str]) -> list[str]:
    """Returns the same command without reversing. The command must not dither, because dither
    differs each time."""
    if name == SOX:
        return command[:-1]
    return [word for word in command if word not in ("-af", "areverse")]


# ---- is it right? ------------------------------------------------------------


def frames_of(path: Path) -> np.ndarray:
    data = path.read_bytes()
    start = data.index(b"data") + 8
    return np.frombuffer(data[start : start + int.from_bytes(data[start - 4 : start], "little")], "<u4")


def is_mirror(name: str, command: list[str], forward: list[str]) -> bool:
    """Whether the output of each program is its own decoded input, reversed."""
    results = []
    for words in (command, forward):
        if not succeeded(subprocess.run(words, env=ENVIRONMENT, capture_output=True)):
            return False
        results.append(frames_of(OUTPUT))
        OUTPUT.unlink()
    return np.array_equal(results[0], results[1][::-1])


def stock_frames(how: str, source: Path, chain: str) -> np.ndarray | None:
    with tempfile.TemporaryFile() as file:
        report = reverse_run.run(how, source, f"{chain} ! {S16}", frames_fd=file.fileno())
        file.seek(0)
        return None if report["error"] else np.frombuffer(file.read(), "<u4")


def is_right(name: str, form) -> bool:
    """Uses a minute of audio in that format."""
    source = sound_file(form, 1)
    chain = formats()[form].chain
    if name == STOCK:
        backward, forward = (stock_frames(how, source, chain) for how in ("stock", "forward"))
        return backward is not None and np.array_equal(backward, forward[::-1])
    every = commands(source, chain, str(OUTPUT))
    forward = forward_of(name, every[name]) if name in (SOX, FFMPEG) else every[FORWARD]
    return is_mirror(name, every[name], forward)


# ---- how long? ---------------------------------------------------------------


def stock_cost(source: Path, chain: str, rounds: int) -> tuple[Cost | None, float | None]:
    """Returns the cost of decoding without encoding, because encoders do not accept audio at rate
    -1. Also measures the time to the first buffer."""
    reports = [reverse_run.run("stock", source, chain) for _ in range(rounds)]
    if any(report["error"] for report in reports):
        return None, None
    cost = median_of([Cost(report["total_s"], 0, report["peak_mb"]) for report in reports])
    return cost, median(report["first_ms"] for report in reports) / 1000


def first_sounds(source: Path, chain: str, rounds: int) -> dict[str, float]:
    """Seconds from the start to the first audio; for programs, including their start."""
    piped = commands(source, chain, "-")
    piped[SOX] = [*piped[SOX][:-2], "-", "reverse"]
    firsts = {name: median(first_bytes_s(piped[name]) for _ in range(rounds)) for name in (SOX, FFMPEG)}
    runs = [reverse_run.run("revbuf", source, chain, wait=False) for _ in range(rounds)]
    firsts[SEEK] = median(run["first_ms"] for run in runs) / 1000
    return firsts


def measure(minutes: int, rounds: int) -> list[dict]:
    rows = []
    for form, described in formats().items():
        source, chain = sound_file(form, minutes), described.chain
        costs = interleaved(commands(source, chain, str(OUTPUT)), rounds, OUTPUT)
        firsts = first_sounds(source, chain, rounds)
        costs[STOCK], firsts[STOCK] = stock_cost(source, chain, rounds)
        for name, cost in costs.items():
            rows.append({
                "format": form,
                "name": name,
                "cost": cost and asdict(cost),
                "first_s": firsts.get(name),
                "right": name == FORWARD or is_right(name, form),
            })  # fmt: skip
            print(json.dumps(rows[-1]), flush=True)
    return rows
