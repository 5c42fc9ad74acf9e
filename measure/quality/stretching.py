#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures time stretching that keeps the pitch, compared with other programs. Prints Markdown.

The figures are stored in a JSON file. Trials that have figures are not run again, except for
programs given by --cmd, or with --again."""

import argparse
import json
import os
import sys
import time
from pathlib import Path

# Must be set before numpy is imported: one thread, because the machine may have other users.
for _library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

from stretch import peers, provenance, report, trials  # noqa: E402
from stretch.score import Score, held_out  # noqa: E402

FACTORS = [0.5, 0.75, 1.25, 1.5, 2.0, 3.0]
QUICK_FACTORS = [0.75, 1.5, 3.0]
ORACLE = "oracle"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=peers.ROOT / "build/quality/stretch.json", help="where figures are kept"
    )
    parser.add_argument("--markdown", type=Path, help="a file for the report (default: standard output)")
    parser.add_argument("--factors", type=numbers, help=f"default: {','.join(map(str, FACTORS))}")
    parser.add_argument(
        "--peers", type=names, help="names, 'none', or by default all; 'oracle' and 'timescale' are names too"
    )
    parser.add_argument(
        "--cmd", action="append", default=[], metavar="'NAME=PROGRAM IN OUT FACTOR'", help="one more program"
    )
    parser.add_argument("--groups", type=names, default=trials.GROUPS, help=f"default: {','.join(trials.GROUPS)}")
    parser.add_argument("--held-out", type=int, metavar="SEED", help="another score and other recordings; 0 is none")
    parser.add_argument("--quick", action="store_true", help="three factors, no recordings")
    parser.add_argument("--again", action="store_true", help="measure again what the JSON file has")
    return parser.parse_args()


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split(",")]


def names(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


class Record:
    """The figures in the JSON file, which is saved after every trial."""

    def __init__(self, path: Path):
        self.path = path
        self.results = json.loads(path.read_text()) if path.exists() else {}

    def has(self, program: str, factor: str, trial) -> bool:
        return trial.name in self.results.get(program, {}).get(factor, {})

    def add(self, program: str, factor: str, figures: dict) -> None:
        self.results.setdefault(program, {}).setdefault(factor, {}).update(figures)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(self.results, indent=1))
        partial.replace(self.path)


def measure(peer, factor: float, score: Score, wanted: list, record: Record, again: bool) -> None:
    """Runs all trials of a program with a factor. A trial that fails is reported, and the next ones
    are run."""
    label, begun, failed = f"{factor:g}", time.monotonic(), 0
    for trial in wanted:
        if record.has(peer.name, label, trial) and not again:
            continue
        try:
            record.add(peer.name, label, trial.figures(peer, score, factor))
        except (RuntimeError, OSError, ValueError) as error:
            failed += 1
            print(f"{peer.name}, factor {label}, {trial.name}: {error}", file=sys.stderr)
    print(
        f"{peer.name}, factor {label}: {time.monotonic() - begun:.0f} s, {failed} failed", file=sys.stderr, flush=True
    )


def ideal(factor: float, score: Score, wanted: list, record: Record, again: bool) -> None:
    for trial in wanted:
        if again or not record.has(ORACLE, f"{factor:g}", trial):
            record.add(ORACLE, f"{factor:g}", trial.oracle(score, factor))


def chosen(asked: argparse.Namespace) -> list[peers.Peer]:
    """Returns the programs to measure. Exits with a sentence if a name is unknown."""
    try:
        commands = [peers.from_words(text) for text in asked.cmd]
    except ValueError as error:
        sys.exit(str(error))
    known = [peers.ours(), *peers.PEERS]
    listed = [ORACLE, *(peer.name for peer in known)]
    if unknown := set(asked.peers or []) - {*listed, "none"}:
        sys.exit(f"Unknown: {', '.join(unknown)}. Peers: {', '.join(listed)}.")
    if unknown := set(asked.groups) - set(trials.GROUPS):
        sys.exit(f"Unknown: {', '.join(unknown)}. Groups: {', '.join(trials.GROUPS)}.")
    return commands + peers.usable([peer for peer in known if asked.peers is None or peer.name in asked.peers])


def main() -> None:
    asked = arguments()
    programs = chosen(asked)
    given = {text.partition("=")[0] for text in asked.cmd}
    score = held_out(asked.held_out) if asked.held_out else Score()
    groups = [group for group in asked.groups if not (asked.quick and group == "recordings")]
    wanted = trials.trials(groups, bool(asked.held_out))
    record = Record(asked.json)
    for factor in asked.factors or (QUICK_FACTORS if asked.quick else FACTORS):
        if asked.peers is None or ORACLE in asked.peers:
            ideal(factor, score, wanted, record, asked.again)
        for peer in programs:
            measure(peer, factor, score, wanted, record, asked.again or peer.name in given)
    provenance.note(asked.json, "make quality PARTS=stretching")
    ours = [name for name in [*given, peers.OURS] if name in record.results]
    text = report.report(record.results, ours)
    if asked.markdown:
        asked.markdown.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
