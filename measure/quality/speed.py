#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the processor time (user + system) of a stretch that keeps the pitch, for a minute of
stereo music at 48 kHz. The time for a tenth of a second is subtracted, so the start of a program
does not count. Each program runs once per round, bound to one processor. Ratios to Rubber Band R3
are computed within each round, and their median is used, so that other load on the machine has less
influence."""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from stretch import peers, provenance, report
from stretch.audio import write_wav
from stretch.score import RATE, Score
from stretch.song import song

FACTORS = [0.75, 1.5]
REFERENCE = "rubberband R3"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=peers.ROOT / "build/quality/speed.json", help="where figures are kept"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60, help="of audio; figures are for a minute")
    parser.add_argument("--peers", help=f"names; by default all; {REFERENCE} is always among them")
    parser.add_argument(
        "--cmd", action="append", default=[], metavar="'NAME=PROGRAM IN OUT FACTOR'", help="one more program"
    )
    return parser.parse_args()


def processor_time(words: list[str], processor: int) -> float:
    """Returns the processor time of a program in seconds. If the program fails, raises RuntimeError
    with the end of its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bound = ["taskset", "-c", str(processor), *words]
    result = subprocess.run(bound, env=peers.ENVIRONMENT, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError((result.stdout + result.stderr)[-400:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Track:
    """The music, and the first tenth of a second of it, each in files of 16 and of 32 bits."""

    def __init__(self, folder: Path, seconds: float):
        wave = song(Score())
        repeated = np.concatenate([wave] * (int(seconds * RATE / len(wave)) + 1))[: int(seconds * RATE)]
        self.folder, self.minutes = folder, seconds / 60
        for bits in (16, 32):
            write_wav(folder / f"whole{bits}.wav", repeated, bits)
            write_wav(folder / f"start{bits}.wav", repeated[: RATE // 10], bits)

    def cost(self, peer: peers.Peer, factor: float) -> float:
        """Returns the processor time for a minute of input in seconds, without the program's
        start."""
        target = str(self.folder / "out.wav")
        whole, start = (
            processor_time(peer.command(str(self.folder / f"{part}{peer.bits}.wav"), target, factor), 0)
            for part in ("whole", "start")
        )
        return (whole - start) / self.minutes


def rounds(track: Track, programs: list[peers.Peer], factor: float, count: int) -> dict[str, list[float]]:
    costs = {peer.name: [] for peer in programs}
    for _ in range(count):
        for peer in programs:
            try:
                costs[peer.name].append(track.cost(peer, factor))
            except RuntimeError as error:
                print(f"{peer.name}, factor {factor:g}: {error}", file=sys.stderr)
                costs[peer.name].append(float("nan"))
    return costs


def summary(costs: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    """Parameter: the costs of each program in all rounds. `seconds`: median; `least`: minimum;
    `ratio`: median of the ratios to Rubber Band R3 in the same round."""
    base = costs[REFERENCE]
    return {
        name: {
            "seconds": statistics.median(taken),
            "least": min(taken),
            "ratio": statistics.median(one / other for one, other in zip(taken, base)),
        }
        for name, taken in costs.items()
    }


def verdict(results: dict[str, dict[str, float]], ours: str) -> str:
    ratio, signalsmith = results[ours]["ratio"], results.get("signalsmith", {}).get("ratio")
    met = ratio <= 0.15 and (signalsmith is None or ratio < signalsmith)
    beside = "" if signalsmith is None else f", below Signalsmith's {signalsmith:.3f}"
    return f"{ours}: {ratio:.3f} of {REFERENCE}; at most 0.15{beside}: {'met' if met else '**missed**'}\n"


def main() -> None:
    asked = arguments()
    wanted = asked.peers.split(",") if asked.peers else None
    known = [peer for peer in [peers.ours(), *peers.PEERS] if wanted is None or peer.name in [*wanted, REFERENCE]]
    ours = [peers.from_words(text) for text in asked.cmd]
    programs = ours + peers.usable(known)
    if REFERENCE not in [peer.name for peer in programs]:
        sys.exit(f"{REFERENCE} is needed, as all others are compared with it: install rubberband-cli.")
    kept = {}
    with tempfile.TemporaryDirectory() as folder:
        track = Track(Path(folder), asked.seconds)
        for factor in FACTORS:
            results = kept[f"{factor:g}"] = summary(rounds(track, programs, factor, asked.rounds))
            rows = [
                [
                    name,
                    *(f"{one[column]:.{digits}f}" for column, digits in (("seconds", 2), ("least", 2), ("ratio", 3))),
                ]
                for name, one in results.items()
            ]
            print(f"\n## Factor {factor:g}: processor time for a minute of stereo, {asked.rounds} rounds\n")
            print(report.table(["", "s", "least s", "by R3"], rows), flush=True)
            for name in [*(peer.name for peer in ours), peers.OURS]:
                if name in results:
                    print(verdict(results, name))
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(kept, indent=1))
    provenance.note(asked.json, "make quality PARTS=speed")


if __name__ == "__main__":
    main()
