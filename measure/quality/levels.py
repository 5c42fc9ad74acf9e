#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the level after abrupt onsets, in steps of 10 ms, compared with other programs. Prints
Markdown."""

import argparse
import json
import os
import sys
from pathlib import Path

# numpy reads these variables when it is imported. With them, it uses only one thread, because the
# machine may have other users.
for _library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

from formants import rubberband  # noqa: E402
from stretch import levels, peers, provenance, report  # noqa: E402
from stretch.score import Score, held_out  # noqa: E402

FACTORS = [0.25, 0.5, 0.75, 1.5, 2.0, 4.0]
SEMITONES = [-12.0, 12.0]
WINDOWS = ["auto", "music", "speech", "low-latency"]
OTHERS = ("rubberband R3", "ffmpeg atempo")
SHOWN = ("0.5", "4")  # factors of which the report has all steps


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=peers.ROOT / "build/quality/levels.json", help="where figures are kept"
    )
    parser.add_argument("--sounds", default=",".join(levels.SOUNDS), help="default: %(default)s")
    parser.add_argument("--programs", help="names; by default all")
    parser.add_argument("--held-out", type=int, metavar="SEED", help="other phases, noise and cuts; 0 is none")
    return parser.parse_args()


def windowed(window: str, change: str) -> peers.Peer:
    """The element with a window. `change` is the property that the peer sets: factor or semitones."""
    words = f"timescale keep-pitch=true window={window}"
    command = peers.element(lambda value: f"{words} {change}={peers.digits(value)}")
    return peers.Peer(f"timescale {window}", command, f"element:{words}")


def measure(given: levels.Onsets, asked: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    """Returns {change: {program: levels after the onsets in dB}}."""
    stretchers = [windowed(window, "factor") for window in WINDOWS]
    shifters = [windowed(window, "semitones") for window in WINDOWS]
    stretchers += [peer for peer in peers.PEERS if peer.name in OTHERS]
    shifters += [rubberband("rubberband R3")]
    told: dict = {}
    for programs, values, is_factor in ((stretchers, FACTORS, True), (shifters, SEMITONES, False)):
        for peer in peers.usable([one for one in programs if not asked.programs or one.name in asked.programs]):
            for value in values:
                change = f"{value:g}" if is_factor else f"{value:+g} st"
                steps = levels.after_onsets(peer(given.samples, value), given, value if is_factor else 1)
                told.setdefault(change, {})[peer.name] = steps
    return told


def worst(steps: list[float]) -> str:
    """The level that's farthest from 0."""
    return f"{max(steps, key=abs):.1f}"


def table(results: dict) -> str:
    """Returns a table with the worst step of each sound, and one with the steps of two sounds."""
    first = next(iter(results.values()))
    rows = [
        [change, program, *(worst(told[change][program]) for told in results.values())]
        for change, programs in first.items()
        for program in programs
        if program != "timescale music"  # as auto, unless the sound is a voice or dense
    ]
    text = report.table(["factor or pitch", "worst level, dB", *results], rows)
    shown = [name for name in ("440 Hz", "music") if name in results]
    rows = [
        [change, program, *(" ".join(f"{step:.1f}" for step in results[name][change][program]) for name in shown)]
        for change, programs in first.items()
        for program in programs
        if change in SHOWN and program in ("timescale auto", *OTHERS)
    ]
    return text + "\n" + report.table(["factor or pitch", "levels of all steps, dB", *shown], rows)


def main() -> None:
    asked = arguments()
    score = held_out(asked.held_out) if asked.held_out else Score()
    results = {}
    for name in asked.sounds.split(","):
        results[name] = measure(levels.SOUNDS[name](score), asked)
        print(name, file=sys.stderr, flush=True)
    print(table(results))
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(results, indent=1))
    provenance.note(asked.json, "make quality PARTS=levels")


if __name__ == "__main__":
    main()
