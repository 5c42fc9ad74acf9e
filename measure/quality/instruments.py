#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures time stretching of instruments and textures, compared with other programs. The ideal is
the same score, played at the new tempo. The figures are the distance from the ideal in windows of
85 ms and 8 ms and, if the times of the onsets are known, their displacement. Prints Markdown with
means over all factors."""

import argparse
import json
import os
import sys
from pathlib import Path

# numpy reads these variables when it is imported. With them, it uses only one thread, because the
# machine may have other users.
for _library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from stretch import instruments, peers, report  # noqa: E402
from stretch.distance import LONG, SHORT, aligned, distance  # noqa: E402

FACTORS = [0.5, 0.8, 1.25, 2.0]
PEERS = ("rubberband R3", "signalsmith", "bungee", "sonic")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=peers.ROOT / "build/quality/instruments.json", help="where figures are kept"
    )
    parser.add_argument("--factors", default=",".join(map(str, FACTORS)), help="default: %(default)s")
    parser.add_argument("--sounds", default=",".join(sound.name for sound in instruments.SOUNDS))
    parser.add_argument("--programs", help="names; by default all")
    return parser.parse_args()


def windowed(window: str) -> peers.Peer:
    name = f"{peers.OURS} {window}"
    words = f"timescale keep-pitch=true window={window}"
    return peers.Peer(name, peers.element(lambda factor: f"{words} factor={peers.digits(factor)}"), f"element:{words}")


def programs() -> list[peers.Peer]:
    others = [peer for peer in peers.PEERS if peer.name in PEERS]
    return peers.usable([peers.ours(), windowed("music"), windowed("low-latency"), *others])


def figures(output: np.ndarray, ideal: np.ndarray, strokes: np.ndarray | None) -> dict[str, float]:
    """`long`, `short`: distance from the ideal in dB; `stroke_ms`: mean displacement of the
    onsets."""
    near, _ = aligned(output.reshape(len(output), -1), ideal)
    told = {"long": distance(near, ideal, LONG), "short": distance(near, ideal, SHORT)}
    if strokes is not None:
        told["stroke_ms"] = float(np.abs(instruments.lateness_ms(near, ideal, strokes)).mean())
    return told


def measure(sound: instruments.Sound, factors: list[float], wanted: list[peers.Peer]) -> dict:
    """Returns {program: figures}, as means over all factors."""
    source, told = sound.render(1), {}
    for factor in factors:
        ideal = sound.render(factor)
        strokes = sound.strokes(factor) if sound.strokes else None
        for program in wanted:
            try:
                measured = figures(program(source, factor), ideal, strokes)
            except RuntimeError as failure:
                print(f"{sound.name}, {program.name}, {factor:g}: {failure}", file=sys.stderr)
                continue
            told.setdefault(program.name, []).append(measured)
    return {name: {key: float(np.mean([one[key] for one in all_])) for key in all_[0]} for name, all_ in told.items()}


def cell(measured: dict[str, float] | None) -> str:
    if measured is None:
        return "–"
    text = f"{measured['long']:.2f} {measured['short']:.2f}"
    return f"{text}, {measured['stroke_ms']:.2f} ms" if "stroke_ms" in measured else text


def table(results: dict) -> str:
    names = list(dict.fromkeys(name for told in results.values() for name in told))
    rows = [[sound, *(cell(told.get(name)) for name in names)] for sound, told in results.items()]
    return report.table(["dB within 85 and 8 ms, strokes off", *names], rows)


def main() -> None:
    asked = arguments()
    if not instruments.FONT.exists() or not peers.installed("program:fluidsynth"):
        sys.exit(f"fluidsynth or {instruments.FONT} is not installed (Debian: fluidsynth, fluid-soundfont-gm).")
    factors, results = [float(word) for word in asked.factors.split(",")], {}
    chosen = [one for one in programs() if not asked.programs or one.name in asked.programs.split(",")]
    for sound in instruments.SOUNDS:
        if sound.name in asked.sounds.split(","):
            results[sound.name] = measure(sound, factors, chosen)
            print(f"{sound.name}: {results[sound.name]}", file=sys.stderr)
    print(table(results))
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
