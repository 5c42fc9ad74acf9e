#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures how well formants are kept when the pitch of a voice is shifted, compared with Rubber
Band. The figure is the distance in dB from the ideal: the same voice, speaking at the new pitch
with its own formants. Prints Markdown."""

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
from stretch import peers, provenance, report, speakers  # noqa: E402
from stretch.distance import MIDDLE, aligned, distance  # noqa: E402
from stretch.voice import LONGEST_PERIOD_MS  # noqa: E402

STEPS = [-7, -4, 4, 12]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=peers.ROOT / "build/quality/formants.json", help="where figures are kept"
    )
    parser.add_argument("--speakers", default=",".join(one.name for one in speakers.SPEAKERS))
    return parser.parse_args()


def moved(name: str, settings: str) -> peers.Peer:
    """The element as a peer that is called with semitones instead of a factor."""
    words = f"timescale formants={settings}"
    command = peers.element(lambda semitones: f"{words} semitones={peers.digits(semitones)}")
    return peers.Peer(name, command, f"element:{words}")


def rubberband(name: str, *options: str) -> peers.Peer:
    def command(source: str, target: str, semitones: float) -> list[str]:
        return ["rubberband", "-q", "--no-threads", "-3", *options, "-p", peers.digits(semitones), source, target]

    return peers.Peer(name, command, "program:rubberband")


PROGRAMS = [
    moved("timescale formants=keep", "keep"),
    rubberband("rubberband -3 -F", "-F"),
    moved("timescale", "follow"),
    rubberband("rubberband -3"),
]


def distance_db(output: np.ndarray, ideal: np.ndarray) -> float:
    near, _ = aligned(output, ideal, LONGEST_PERIOD_MS)
    return distance(near, ideal, MIDDLE)


def measure(speaker: speakers.Speaker, programs: list[peers.Peer]) -> dict[str, dict[str, float]]:
    """Returns {semitones: {program: distance from the ideal in dB}}."""
    source = speaker.render(0)
    ideals = {f"{step:+d}": speaker.render(step) for step in STEPS}
    return {
        step: {program.name: distance_db(program(source, float(step)), ideal) for program in programs}
        for step, ideal in ideals.items()
    }


def table(results: dict) -> str:
    names = list(dict.fromkeys(name for told in results.values() for one in told.values() for name in one))
    rows = [
        [speaker, step, *(f"{told[name]:.2f}" for name in names)]
        for speaker, steps in results.items()
        for step, told in steps.items()
    ]
    return report.table(["dB from the voice at that pitch", "semitones", *names], rows)


def main() -> None:
    asked, results = arguments(), {}
    programs = peers.usable(PROGRAMS)
    for speaker in speakers.SPEAKERS:
        if speaker.needs and not peers.installed(speaker.needs):
            print(f"{speaker.name} is left out: {speaker.needs.split(':')[1]} is not installed.", file=sys.stderr)
        elif speaker.name in asked.speakers.split(","):
            results[speaker.name] = measure(speaker, programs)
            print(f"{speaker.name}: {results[speaker.name]}", file=sys.stderr)
    print(table(results))
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(results, indent=1))
    provenance.note(asked.json, "make quality PARTS=formants")


if __name__ == "__main__":
    main()
