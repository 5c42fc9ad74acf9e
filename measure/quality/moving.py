#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures what else a stretch has to do: a factor that moves, no drift over an hour, factor 1,
pitch moved at a kept tempo. Prints Markdown, and keeps the figures in a JSON file."""

import argparse
import json
import sys
from pathlib import Path

from stretch import motion, peers, programs, report
from stretch.score import Score, held_out
from stretch.song import song

PARTS = ["moving", "drift", "unity", "transposing"]
DRIFT_FACTORS = {"25/24": 25 / 24, "1.1": 1.1}
SEMITONES = (-5, 3)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=peers.ROOT / "build/quality/moving.json", help="where figures are kept")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"default: {','.join(PARTS)}")
    parser.add_argument("--peers", help="names, or 'none'; by default all")
    parser.add_argument("--minutes", type=float, default=60, help="of audio for drift (60)")
    parser.add_argument("--cmd", action="append", default=[], metavar="'NAME=PROGRAM IN OUT FACTOR'", help="for drift and unity")
    parser.add_argument("--map-cmd", action="append", default=[], metavar="'NAME=PROGRAM IN OUT MAP'", help="for moving")
    parser.add_argument("--held-out", type=int, metavar="SEED", help="another score; 0 is none")
    return parser.parse_args()


def attempted(name: str, figures_of) -> dict:
    """What it gives; one that fails is told, and has no figures."""
    try:
        return figures_of()
    except (RuntimeError, OSError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return {}


def map_command(text: str) -> programs.Moving:
    words = text.split("=", 1)[1].split()
    return lambda source, target, times, mean: [{"IN": source, "OUT": target, "MAP": times}.get(word, word) for word in words]


def moving(asked, score: Score, chosen) -> dict:
    given = {text.split("=")[0]: (map_command(text), "") for text in asked.map_cmd}
    known = {name: entry for name, entry in programs.MOVING.items() if chosen(name)}
    results = {}
    for name, (command, needs) in (given | known).items():
        if peers.usable([peers.Peer(name, lambda *_: [], needs)]):
            program_of = lambda *points: programs.moving(name, command, needs, *points)  # noqa: B023, E731
            results[name] = attempted(name, lambda: motion.moving_figures(program_of, score))  # noqa: B023
    return results


def stretchers(asked, chosen) -> list:
    known = [peer for peer in [peers.ours(), *peers.PEERS] if chosen(peer.name)]
    return [peers.from_words(text) for text in asked.cmd] + peers.usable(known)


def drift(asked, score: Score, chosen) -> dict:
    return {
        peer.name: {
            label: attempted(peer.name, lambda: motion.drift_figures(peer, score, asked.minutes, factor))
            for label, factor in DRIFT_FACTORS.items()
        }
        for peer in stretchers(asked, chosen)
    }  # fmt: skip


def unity(asked, score: Score, chosen) -> dict:
    wave = song(score)
    return {
        peer.name: {"song": attempted(peer.name, lambda: motion.unity(peer(wave, 1)[:, 0], wave[:, 0]))}
        for peer in stretchers(asked, chosen)
    }  # fmt: skip


def transposing(asked, score: Score, chosen) -> dict:
    results = {}
    for peer in peers.usable([peer for peer in programs.TRANSPOSING if chosen(peer.name)]):
        for semitones in SEMITONES:
            figures = attempted(peer.name, lambda: motion.transposing_figures(peer, score, semitones))  # noqa: B023
            results[f"{peer.name} {semitones:+d}"] = figures
    return results


MEASURES = {"moving": moving, "drift": drift, "unity": unity, "transposing": transposing}
COLUMNS = {
    "moving": [("chord", "sndr", 0), ("castanet", "jitter_ms", 2), ("castanet", "worst_ms", 2), ("castanet", "pre", 0), ("chord", "length", 0)],
    "drift": [(label, name, 2) for label in DRIFT_FACTORS for name in ("ms_per_hour", "worst", "rms", "length")],
    "unity": [("song", "snr", 0), ("song", "late", 0)],
    "transposing": [("chord", "sndr", 0), ("chord", "cents", 2), ("bass", "sndr", 0), ("castanet", "jitter_ms", 2), ("castanet", "pre", 0), ("castanet", "length", 0)],
}


def table(part: str, results: dict) -> str:
    def cell(figures: dict, group: str, name: str, digits: int) -> str:
        value = figures.get(group, {}).get(name)
        return "–" if value is None else f"{value:.{digits}f}"

    rows = [[program, *(cell(figures, *column) for column in COLUMNS[part])] for program, figures in results.items()]
    return f"\n## {part}\n\n" + report.table(["", *(f"{group} {name}" for group, name, _ in COLUMNS[part])], rows)


def main() -> None:
    asked = arguments()
    parts = asked.parts.split(",")
    if not set(parts) <= set(PARTS):
        sys.exit(f"Parts are {', '.join(PARTS)}.")
    wanted = asked.peers.split(",") if asked.peers else None
    score = held_out(asked.held_out) if asked.held_out else Score()
    kept = json.loads(asked.json.read_text()) if asked.json.exists() else {}
    for part in parts:
        results = MEASURES[part](asked, score, lambda name: wanted is None or name in wanted)
        kept.setdefault(part, {}).update(results)
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json.dumps(kept, indent=1))
        print(table(part, kept[part]), flush=True)


if __name__ == "__main__":
    main()
