#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/internals/stretch.md: the results of stretching.py, levels.py, moving.py, formants.py, speed.py
and evenness.py, and which targets are met. Keeps the first part of the page, which is written by hand."""

import argparse
import json
import math
from pathlib import Path

import evenness
import formants
import levels
from moving import table as moving_table
from stretch import bars, peers, provenance, report

COLUMNS = [
    bars.CHORD, bars.DENSE, bars.BASS, bars.GLIDE, bars.JITTER, bars.PRE_ECHO, bars.LOST, bars.VOICE,
    bars.SONG, bars.DRUMS, bars.TONAL, bars.PHASE, bars.MODULATION,
]  # fmt: skip
SIDES = {
    "the best of Rubber Band R3, Signalsmith and Bungee": bars.beside_best,
    "all others": bars.beside_others,
}
TITLES = {
    "moving": "A factor that moves",
    "drift": "An hour: the worst attack in ms, and extra frames",
    "transposing": "Pitch alone",
}
# This program writes the page from this heading on.
FIGURES = "## Figures\n"
INTRODUCTION = f"""{FIGURES}
The signals are rendered from a score, so we know what the output should be: the same score at the new tempo. Its
figures are in the row `reference`. Apart from the best three, other programs are only shown at factors 0.5 and 1.5.

- **chord, dense chord, bass, glide**: how far the partials are above everything else in the output (SNDR).
  More is better.
- **attack jitter**: the standard deviation of attacks from where they should be. **Pre-echo**: the level of the
  sound before an attack, or −200 dB if there is none. **Attack level**: how much louder an attack became.
- **voice, song, drums, tonal**: the log-mel distance from the same sound at the new tempo. Less is better.
- **stereo phase**: the error of the phase between the channels. **Noise modulation**: how strongly the
  level of stretched noise pulsates at one frequency. It should be the same as the reference's.

A target is met if `timescale` is at least as good as the best of the other programs. Five targets are stricter
when we compare it with Rubber Band R3, Signalsmith and Bungee. At factors from 0.75 to 1.5, chords have to be 8 dB
better, and attack levels have to be within 0.3 dB of 0. At every factor, pre-echo has to be 10 dB better, attack
jitter at most 0.1 ms, and noise modulation within 1 dB of the reference.
"""
EARLIER = """
Figures with * come from an earlier run, of which only the rounded values were kept.
"""
# The factors at which the page has rows for all programs, and not only for the best three.
ALL_PROGRAMS_AT = ("0.5", "1.5")
# Names in the figures, and in the tables.
SHOWN = {"oracle": "reference"}
PROTOTYPE = "prototype"  # in old figures

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
    """Returns a table with rows for the reference, for Retrograde and for the other programs."""
    rows = []
    for factor in report.factors_of(results):
        for program in sorted(results, key=lambda name: (name != "oracle", name != ours)):
            is_shown = factor in ALL_PROGRAMS_AT or program in ("oracle", ours, *bars.BEST)
            if factor in results[program] and is_shown and program != PROTOTYPE:
                values = [cell(measure, results, measured, program, factor) for measure in COLUMNS]
                name = f"**{program}**" if program == ours else SHOWN.get(program, program)
                rows.append([factor, name, *values])
    return report.table(["factor", "", *(measure.title for measure in COLUMNS)], rows)


def judged(results: dict, ours: str) -> str:
    """Returns a text that says how many targets are met, with a line for each missed one."""
    text = ""
    for title, part in SIDES.items():
        rows = [row for factor in sorted(results.get(ours, {}), key=float) for row in part(results, ours, factor)]
        judged_rows = [row for row in rows if row.verdict != "not measured"]
        if not judged_rows:
            continue
        missed = [row for row in judged_rows if row.verdict != "met"]
        text += "\n" + f"We meet {len(judged_rows) - len(missed)} of {len(judged_rows)} targets compared with {title}.\n"
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


ENDS = ("chord", "voice", "song", "noise")
# of which the table of ends has rows, beside ours
ENDING = ("rubberband R3", "signalsmith", "bungee", "ffmpeg atempo")
ENDING_FACTORS = ("0.5", "3")
ENDS_INTRODUCTION = """
## Ends

For sounds that are cut off in the middle, the table shows the level of their last 10, 20 and 40 ms, in dB
relative to the reference.

"""


def ends(results: dict, ours: str) -> str:
    """Returns a table of all factors for ours and ENDING, without programs whose ends were not measured."""
    rows = []
    for factor in ENDING_FACTORS:
        for program in sorted(results, key=lambda name: name != ours):
            trials = results[program].get(factor, {})
            if program in (ours, *ENDING) and all(f"end.{name}" in trials for name in ENDS):
                levels = [[trials[f"end.{name}"][f"last{ms}"] for ms in (10, 20, 40)] for name in ENDS]
                rows.append([factor, program, *(" ".join(f"{level:.1f}" for level in row) for row in levels)])
    return ENDS_INTRODUCTION + report.table(["factor", "", *ENDS], rows) if rows else ""


LEVELS_INTRODUCTION = """
## Level after attacks

These sounds begin abruptly after silence. We compare their level with the input's at the place that the time map
gives, in steps of 10 ms, up to 80 ms after the onset. For each sound, the first table has the step that's farthest
from 0 dB. The target is 1.5 dB.

- **Tones and noise**: the mean power of 12 and 36 onsets, compared with the sound's steady level.
- **Music**: the median of 36 recordings that are cut in the middle of a sound.
- **Instruments**: the median of twelve notes of a soundfont.

"""
FORMANTS_INTRODUCTION = """
## Formants

We shift a voice to a new pitch, and compare it with the same voice speaking at that pitch. The table has the log-mel
distance in dB, and less is better. `formants=keep` and `rubberband -3 -F` keep the formants. `diphones` is Flite's voice kal16.

"""
EVENNESS_INTRODUCTION = """
## Evenness

The table shows the longest call with 64 samples, divided by the mean time of a frame of the vocoder. The target
is 2. We miss it where the windows are short, because the mean is small there. Those calls still only take 0.08 and
0.13 ms, and 64 samples last 1.3 ms.

"""


def by_hand(path: Path) -> str:
    """Returns the hand-written part of the page, which ends where the figures begin."""
    return path.read_text().partition(FIGURES)[0] if path.exists() else ""


def origin_of(figures: Path) -> str:
    """The line of provenance, without the programs that the first one names."""
    before, dot, _ = provenance.of(figures).partition(". GStreamer")
    return f"{before}, programs as above.</sub>\n" if dot else before


def page(folder: Path, ours: str) -> str:
    measured, unseen = read(folder / "stretch.json"), read(folder / "held-out.json")
    earlier = read(folder / "reference.json")
    results = completed(measured, earlier)
    origin = provenance.of(folder / "stretch.json")
    text = INTRODUCTION + (EARLIER if earlier else "") + "\n"
    text += figures(results, measured, ours) + judged(results, ours) + origin
    if unseen:
        text += "\n## Held-out material\n\nThese sounds have different tunings, seeds, songs and voices. We didn't tune anything on them.\n\n"
        text += figures(unseen, unseen, ours) + judged(unseen, ours) + origin_of(folder / "held-out.json")
    if table := ends(measured, ours):
        text += table + origin_of(folder / "stretch.json")
    if onsets := read(folder / "levels.json"):
        text += LEVELS_INTRODUCTION + levels.table(onsets) + origin_of(folder / "levels.json")
    motions = read(folder / "moving.json")
    for part, measured in [(part, motions[part]) for part in TITLES if part in motions]:
        text += moving_table(part, measured).replace(f"## {part}", f"## {TITLES[part]}")
        text += origin_of(folder / "moving.json")
    if voices := read(folder / "formants.json"):
        text += FORMANTS_INTRODUCTION + formants.table(voices) + origin_of(folder / "formants.json")
    if costs := read(folder / "speed.json"):
        text += "\n## CPU time\n\n" + speeds(costs) + origin_of(folder / "speed.json")
    if calls := read(folder / "evenness.json"):
        text += EVENNESS_INTRODUCTION + evenness.table(calls) + origin_of(folder / "evenness.json")
    pictures = sorted(path.name for path in (peers.ROOT / "docs/pictures").glob("stretch-*.png"))
    if pictures:
        text += "\n## Pictures\n\n" + "\n".join(f"![{name[8:-4]}](../pictures/{name})" for name in pictures) + "\n"
        text += origin_of(folder / "pictures.json")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--figures", type=Path, default=peers.ROOT / "build/quality", help="the folder of the JSON files"
    )
    parser.add_argument("--ours", default=peers.OURS, help="the name of ours in them")
    parser.add_argument("--page", type=Path, default=peers.ROOT / "docs/internals/stretch.md")
    asked = parser.parse_args()
    asked.page.write_text(by_hand(asked.page) + page(asked.figures, asked.ours))


if __name__ == "__main__":
    main()
