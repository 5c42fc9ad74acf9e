#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures how evenly the stretcher distributes its work over calls with 64 input frames each: the
longest call, relative to the mean time per synthesis frame (the time of all calls divided by the
number of calls with output). The whole series of calls is repeated several times. Of each
call, the shortest time is used, so that other load on the machine has less influence."""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from stretch import applause, attacks, peers, provenance, report, song, voice
from stretch.score import RATE, Score, held_out

FACTORS = [0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 3.0, 4.0]
CUT_FRAMES = 64
PROGRAM = "measure/quality/stretch_calls"


def switching(score: Score) -> np.ndarray:
    """Alternates applause, notes and a voice, so that windows of all lengths are used."""
    sounds = [applause.applause(score), song.song(score, 1, song.Band(drums=False)), voice.voice(score, 1)]
    parts = [sound if sound.ndim == 1 else sound.mean(axis=1) for sound in sounds]
    return np.concatenate([part[RATE // 2 : 5 * RATE // 2] for part in (*parts, *parts)])


SIGNALS: dict[str, Callable[[Score], np.ndarray]] = {
    "voice": lambda score: voice.voice(score, 1),
    "song": lambda score: song.song(score, 1),
    "castanets": lambda score: attacks.attacks(score, "castanet", 1),
    "tonal": lambda score: song.song(score, 1, song.Band(drums=False)),
    "switching": switching,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=peers.ROOT / "build/quality/evenness.json", help="where figures are kept"
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--signals", default=",".join(SIGNALS), help=f"default: {','.join(SIGNALS)}")
    parser.add_argument("--held-out", type=int, metavar="SEED", help="another score; 0 is none")
    parser.add_argument("--program", type=Path, help=f"default: build/{PROGRAM}, which is built")
    return parser.parse_args()


def calls(program: Path, samples: np.ndarray, factor: float, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the times of all calls in µs, and their numbers of output frames. Raises
    CalledProcessError if the program fails."""
    with tempfile.NamedTemporaryFile(suffix=".f32") as file:
        file.write(samples.astype(np.float32).tobytes())
        file.flush()
        channels = 1 if samples.ndim == 1 else samples.shape[1]
        words = [program, file.name, channels, RATE, factor, CUT_FRAMES, rounds]
        told = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout
    times_ns, made = np.array([line.split() for line in told.splitlines()], dtype=float).T
    return times_ns / 1000, made


def evenness(times_us: np.ndarray, made: np.ndarray) -> dict[str, float]:
    """Parameters: the times of all calls, and their numbers of output frames. `frame_us`: mean time
    per synthesis frame; `worst`: the longest call relative to it; `at_s`: the position of that call
    in the input."""
    frame_us = times_us.sum() / np.count_nonzero(made)
    longest = int(times_us.argmax())
    return {
        "frame_us": frame_us,
        "worst_us": times_us[longest],
        "worst": times_us[longest] / frame_us,
        "at_s": longest * CUT_FRAMES / RATE,
    }


def table(results: dict) -> str:
    factors = next(iter(results.values()))
    rows = [
        [name, *(f"{one['worst']:.2f} ({one['frame_us']:.0f})" for one in figures.values())]
        for name, figures in results.items()
    ]
    head = ["longest call, in mean frames (one mean frame in µs)", *(f"factor {factor}" for factor in factors)]
    return report.table(head, rows)


def main() -> None:
    asked = arguments()
    score = held_out(asked.held_out) if asked.held_out else Score()
    program = asked.program or peers.ROOT / "build" / PROGRAM
    if not asked.program:
        subprocess.run(["ninja", "-C", peers.ROOT / "build", PROGRAM], check=True, capture_output=True)
    results: dict = {}
    for name in asked.signals.split(","):
        samples = SIGNALS[name](score)
        for factor in FACTORS:
            figures = evenness(*calls(program, samples, factor, asked.rounds))
            results.setdefault(name, {})[f"{factor:g}"] = figures
            print(f"{name}, factor {factor:g}: {figures}", file=sys.stderr)
    print(table(results))
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(results, indent=1))
    provenance.note(asked.json, "make quality PARTS=evenness")


if __name__ == "__main__":
    main()
