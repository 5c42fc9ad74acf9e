#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures a stretcher with a changing factor, its drift over an hour, and a change of pitch without a change of
tempo. Prints Markdown, and keeps the figures in a JSON file."""

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from stretch import motion, peers, programs, provenance, report
from stretch.score import Score, held_out

PARTS = ["moving", "drift", "transposing"]
DRIFT_FACTORS = {"25/24": 25 / 24, "1.1": 1.1}
SEMITONES = (-5, 3)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--json", type=Path, default=peers.ROOT / "build/quality/moving.json", help="where figures are kept"
    )
    parser.add_argument("--parts", default=",".join(PARTS), help=f"default: {','.join(PARTS)}")
    parser.add_argument("--peers", help="names, or 'none'; by default all")
    parser.add_argument("--minutes", type=float, default=60, help="of audio for drift (60)")
    parser.add_argument(
        "--cmd", action="append", default=[], metavar="'NAME=PROGRAM IN OUT FACTOR'", help="for drift"
    )
    parser.add_argument(
        "--map-cmd", action="append", default=[], metavar="'NAME=PROGRAM IN OUT MAP'", help="for moving"
    )
    parser.add_argument("--held-out", type=int, metavar="SEED", help="another score; 0 is none")
    return parser.parse_args()


def attempted(name: str, figures_of: Callable[..., dict], *arguments) -> dict:
    """Returns the figures of a measurement. If it fails, reports that and returns no figures."""
    try:
        return figures_of(*arguments)
    except (RuntimeError, OSError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return {}


def map_command(text: str) -> programs.Moving:
    words = text.split("=", 1)[1].split()

    def command(source: str, target: str, times: str, _mean: float) -> list[str]:
        places = {"IN": source, "OUT": target, "MAP": times}
        return [places.get(word, word) for word in words]

    return command


def moving(asked: argparse.Namespace, score: Score) -> dict:
    known = {name: entry for name, entry in programs.MOVING.items() if is_asked(asked, name)}
    given = {text.split("=")[0]: (map_command(text), "") for text in asked.map_cmd}
    results = {}
    for name, (command, needs) in (given | known).items():
        if peers.usable([peers.Peer(name, lambda *_: [], needs)]):
            program_of = partial(programs.moving, name, command, needs)
            results[name] = attempted(name, motion.moving_figures, program_of, score)
    return results


def is_asked(asked: argparse.Namespace, name: str) -> bool:
    return asked.peers is None or name in asked.peers.split(",")


def stretchers(asked: argparse.Namespace) -> list[peers.Peer]:
    known = [peer for peer in [peers.ours(), *peers.PEERS] if is_asked(asked, peer.name)]
    return [peers.from_words(text) for text in asked.cmd] + peers.usable(known)


def drift(asked: argparse.Namespace, score: Score) -> dict:
    results = {}
    for peer in stretchers(asked):
        results[peer.name] = {
            label: attempted(peer.name, motion.drift_figures, peer, score, asked.minutes, factor)
            for label, factor in DRIFT_FACTORS.items()
        }
    return results


def transposing(asked: argparse.Namespace, score: Score) -> dict:
    chosen = peers.usable([peer for peer in programs.TRANSPOSING if is_asked(asked, peer.name)])
    return {
        f"{peer.name} {semitones:+d}": attempted(peer.name, motion.transposing_figures, peer, score, semitones)
        for peer in chosen
        for semitones in SEMITONES
    }


MEASURES = {"moving": moving, "drift": drift, "transposing": transposing}
COLUMNS = {
    "moving": [
        ("chord", "sndr", 0),
        ("castanet", "jitter_ms", 2),
        ("castanet", "worst_ms", 2),
        ("castanet", "pre", 0),
        ("chord", "length", 0),
    ],
    "drift": [(label, name, 2) for label in DRIFT_FACTORS for name in ("worst", "length")],
    "transposing": [
        ("chord", "sndr", 0),
        ("chord", "cents", 2),
        ("bass", "sndr", 0),
        ("castanet", "jitter_ms", 2),
        ("castanet", "pre", 0),
    ],
}


def table(part: str, results: dict) -> str:
    def cell(figures: dict, group: str, name: str, digits: int) -> str:
        value = figures.get(group, {}).get(name)
        return "–" if value is None else f"{value:.{digits}f}"

    rows = [[program, *(cell(figures, *column) for column in COLUMNS[part])] for program, figures in results.items()]
    return f"\n## {part}\n\n" + report.table(["", *(f"{group} {name}" for group, name, _ in COLUMNS[part])], rows)


def drift_verdict(results: dict, ours: str) -> str:
    """Requires that attacks stay within 1 ms of their positions."""
    worst = {label: figures.get("worst") for label, figures in results[ours].items()}
    met = all(value is not None and value <= 1 for value in worst.values())
    shown = ", ".join("–" if value is None else f"{value:.2f} ms by {label}" for label, value in worst.items())
    return f"{ours}: {shown}; at most 1 ms: {'met' if met else '**missed**'}\n"


def main() -> None:
    asked = arguments()
    parts = asked.parts.split(",")
    if not set(parts) <= set(PARTS):
        sys.exit(f"Parts are {', '.join(PARTS)}.")
    score = held_out(asked.held_out) if asked.held_out else Score()
    kept = json.loads(asked.json.read_text()) if asked.json.exists() else {}
    for part in parts:
        kept.setdefault(part, {}).update(MEASURES[part](asked, score))
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json.dumps(kept, indent=1))
        provenance.note(asked.json, "make quality PARTS=moving")
        print(table(part, kept[part]), flush=True)
    for ours in [*(text.partition("=")[0] for text in asked.cmd), peers.OURS]:
        if ours in kept.get("drift", {}):
            print(drift_verdict(kept["drift"], ours))


if __name__ == "__main__":
    main()
