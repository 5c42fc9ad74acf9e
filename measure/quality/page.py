#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the figures into docs/stretch.md: the results of stretching.py, moving.py, formants.py,
speed.py and evenness.py, and which targets are met. Keeps the first part of the page, which is
written by hand."""

import argparse
import json
import math
from pathlib import Path

import evenness
import formants
from moving import table as moving_table
from stretch import bars, peers, report

COLUMNS = [
    bars.CHORD, bars.DENSE, bars.BASS, bars.GLIDE, bars.JITTER, bars.PRE_ECHO, bars.LOST, bars.VOICE,
    bars.SONG, bars.DRUMS, bars.TONAL, bars.PHASE, bars.MODULATION,
]  # fmt: skip
SIDES = {
    "the best of Rubber Band R3, Signalsmith and Bungee": bars.beside_best,
    "all others": bars.beside_others,
}
TITLES = {"moving": "A factor that moves", "drift": "An hour", "unity": "Factor 1", "transposing": "Pitch alone"}
# This program writes the page from this heading on.
FIGURES = "## Figures\n"
INTRODUCTION = f"""{FIGURES}
`make quality PARTS="stretching moving formants speed evenness pictures"` measures everything below,
and writes this part of the page. The signals are rendered from a score, so the ideal output is
known: the score rendered at the new tempo, which is the row `oracle`. The code in
`measure/quality/stretch` defines the measures. In short:

- **chord, dense chord, bass, glide**: level in dB of steady and gliding partials relative to
  everything else in the output (SNDR). Higher is better.
- **attack jitter**: the standard deviation of the attacks from their correct positions, in ms.
  Lower is better.
- **pre-echo**: the level of the sound before an attack (−200 dB: none, the attack was copied).
  Lower is better.
- **attack level**: the change of the level of the attacks, in dB. 0 is best.
- **voice, song, drums, tonal**: log-mel distance in dB to the same sound spoken or played at the
  new tempo. Lower is better.
- **stereo phase**: error in degrees of the phase difference between the channels. Lower is better.
- **noise modulation**: how strongly the level of stretched noise varies periodically, in dB. The
  value of the oracle is best.
- The sections on a factor that moves, an hour, and pitch alone use the same measures. Their tables
  also show the offsets of attacks in ms, and the errors of the output length in frames.

A bar is met if `timescale` is at least as good as the best of the named programs. In the comparison
with Rubber Band R3, Signalsmith and Bungee, five measures have stricter bars. At factors from 0.75
to 1.5, chords have to be 8 dB better, and the attack level has to be within 0.3 dB of 0. At all
factors, pre-echo has to be 10 dB better, attack jitter has to be at most 0.1 ms, and noise
modulation has to be within 1 dB of the oracle.
"""
EARLIER = """
Figures with * come from an earlier run of the same measures on the same signals. Only the rounded
values of that run were kept, so if a comparison uses such a figure, the rounding may decide whether
the bar is met. `prototype` is the research code from which `timescale` was developed.
"""


def read(path: Path) -> dict:
    return json.loads(path.read_text()) if path.exists() else {}


def completed(measured: dict, earlier: dict) -> dict:
    """Returns the measured figures, and the earlier figures of trials that were not measured
    now."""
    programs = dict.fromkeys([*earlier, *measured])
    return {
        program: {
            factor: {**earlier.get(program, {}).get(factor, {}), **measured.get(program, {}).get(factor, {})}
            for factor in dict.fromkeys([*earlier.get(program, {}), *measured.get(program, {})])
        }
        for program in programs
    }


def cell(measure: bars.Measure, results: dict, measured: dict, program: str, factor: str) -> str:
    """Formats a figure, with a star if it is from an earlier run."""
    value = measure.of(results, program, factor)
    is_earlier = not math.isnan(value) and measure.trial not in measured.get(program, {}).get(factor, {})
    return measure.text(value) + ("*" if is_earlier else "")


def figures(results: dict, measured: dict, ours: str) -> str:
    """Returns a table with rows for the ideal, for Retrograde and for the other programs, at each
    factor."""
    rows = []
    for factor in report.factors_of(results):
        for program in sorted(results, key=lambda name: (name != "oracle", name != ours)):
            if factor in results[program]:
                values = [cell(measure, results, measured, program, factor) for measure in COLUMNS]
                name = f"**{program}**" if program == ours else program
                rows.append([factor, name, *values])
    return report.table(["factor", "", *(measure.title for measure in COLUMNS)], rows)


def counts(results: dict, ours: str) -> str:
    """Returns a table of how many bars (targets, see bars.py) are met, by factor."""
    rows = []
    for factor in sorted(results.get(ours, {}), key=float):
        verdicts = [[row.verdict for row in part(results, ours, factor)] for part in SIDES.values()]
        rows.append([factor, *(f"{v.count('met')} of {len(v) - v.count('not measured')}" for v in verdicts)])
    return "\n" + report.table(["bars met, by factor", *(f"compared with {title}" for title in SIDES)], rows)


def judged(results: dict, ours: str) -> str:
    """Returns a text that says how many bars are met, with a line for each missed bar."""
    text = counts(results, ours)
    for title, part in SIDES.items():
        rows = [row for factor in sorted(results.get(ours, {}), key=float) for row in part(results, ours, factor)]
        judged_rows = [row for row in rows if row.verdict != "not measured"]
        if not judged_rows:
            continue
        missed = [row for row in judged_rows if row.verdict != "met"]
        text += f"\nCompared with {title}: {len(judged_rows) - len(missed)} of {len(judged_rows)} bars are met.\n"
        if missed:
            lines = [[row.bar, row.factor, row.ours, row.wanted] for row in missed]
            text += "\n" + report.table(["missed", "factor", "ours", "wanted"], lines)
    return text


def speeds(results: dict) -> str:
    factors = sorted(results, key=float)
    names = dict.fromkeys(name for factor in factors for name in results[factor])
    rows = [
        [
            name,
            *(f"{results[factor][name]['seconds']:.2f} ({results[factor][name]['ratio']:.2f})" for factor in factors),
        ]
        for name in names
    ]
    return report.table(["seconds for a minute of stereo (relative to R3)", *(f"factor {factor}" for factor in factors)], rows)


def by_seed(folder: Path) -> str:
    """Returns a table of the held-out scores, from the files `held-out-SEED.json` in the folder."""
    rows = []
    for path in folder.glob("held-out-*.json"):
        for program, factors in read(path).items():
            for factor in factors:
                values = [cell(measure, {program: factors}, {program: factors}, program, factor) for measure in COLUMNS]
                rows.append([factor, path.stem.removeprefix("held-out-"), program, *values])
    rows.sort(key=lambda row: (float(row[0]), row[2] != peers.OURS, row[2], row[1]))
    return report.table(["factor", "seed", "", *(measure.title for measure in COLUMNS)], rows) if rows else ""


ENDS = ("chord", "voice", "song", "noise")
ENDS_INTRODUCTION = """
## Ends

For this table, the sounds were cut off in the middle. The table shows the level of their last 10,
20 and 40 ms, in dB relative to the ideal: the score played at the new tempo and cut off at the same
position. 0 is best.

"""


def ends(results: dict, ours: str) -> str:
    """Returns a table of all factors, without programs whose ends were not measured."""
    rows = []
    for factor in report.factors_of(results):
        for program in sorted(results, key=lambda name: name != ours):
            trials = results[program].get(factor, {})
            if program != "oracle" and all(f"end.{name}" in trials for name in ENDS):
                levels = [[trials[f"end.{name}"][f"last{ms}"] for ms in (10, 20, 40)] for name in ENDS]
                rows.append([factor, program, *(" ".join(f"{level:.1f}" for level in row) for row in levels)])
    return ENDS_INTRODUCTION + report.table(["factor", "", *ENDS], rows) if rows else ""


FORMANTS_INTRODUCTION = """
## Formants

The pitch of a voice was shifted, and the output was compared with the same voice speaking at the
new pitch, with the same formants and the same level. The table shows the distance in dB (log-mel,
20 ms); lower is better. `timescale formants=keep` and `rubberband -3 -F` keep the formants; without
these options, formants move with the pitch. The rows `voice` and `another voice` are rendered from
a score; `diphones` is Flite's voice kal16.

"""
EVENNESS_INTRODUCTION = """
To spread the work evenly, each frame of the phase vocoder is computed in two steps, half a hop
apart. The table shows the time of the longest call with 64 samples, divided by the mean time of a
frame of the vocoder. This ratio should not exceed 2. `voice` and `switching`, in which applause,
notes and a voice alternate, exceed it, because their windows are short, so that the mean time is
small. Their longest calls take 0.10 and 0.16 ms; 64 samples last 1.3 ms.

"""


def by_hand(path: Path) -> str:
    """Returns the hand-written part of the page, which ends where the figures begin."""
    return path.read_text().partition(FIGURES)[0] if path.exists() else ""


def page(folder: Path, ours: str) -> str:
    measured, unseen = read(folder / "stretch.json"), read(folder / "held-out.json")
    earlier = read(folder / "reference.json")
    results = completed(measured, earlier)
    text = INTRODUCTION + (EARLIER if earlier else "") + "\n"
    text += figures(results, measured, ours) + judged(results, ours)
    if unseen:
        text += "\n## Held-out material\n\nThe tunings, seeds, songs and voices differ from those above; nothing was tuned on these sounds.\n\n"
        text += figures(unseen, unseen, ours) + judged(unseen, ours)
    if seeds := by_seed(folder):
        text += "\n### Seed by seed\n\n" + seeds
    text += ends(measured, ours)
    for part, measured in read(folder / "moving.json").items():
        text += moving_table(part, measured).replace(f"## {part}", f"## {TITLES[part]}")
    if voices := read(folder / "formants.json"):
        text += FORMANTS_INTRODUCTION + formants.table(voices)
    if costs := read(folder / "speed.json"):
        text += "\n## Processor time\n\n" + speeds(costs)
    if calls := read(folder / "evenness.json"):
        text += EVENNESS_INTRODUCTION + evenness.table(calls)
    pictures = sorted(path.name for path in (peers.ROOT / "docs/pictures").glob("stretch-*.png"))
    if pictures:
        text += "\n## Pictures\n\n" + "\n".join(f"![{name[8:-4]}](pictures/{name})" for name in pictures) + "\n"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--figures", type=Path, default=peers.ROOT / "build/quality", help="the folder of the JSON files"
    )
    parser.add_argument("--ours", default=peers.OURS, help="the name of ours in them")
    parser.add_argument("--page", type=Path, default=peers.ROOT / "docs/stretch.md")
    asked = parser.parse_args()
    asked.page.write_text(by_hand(asked.page) + page(asked.figures, asked.ours))


if __name__ == "__main__":
    main()
