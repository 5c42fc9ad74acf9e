# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The targets ("bars") for the stretcher's figures, and which bars are met. Most bars are relative
to other programs.

Figures are in `results[program][factor][trial][measure]`, where the factor is text ("1.5")."""

import math
from collections.abc import Callable
from dataclasses import dataclass

Results = dict[str, dict[str, dict[str, dict[str, float]]]]

BEST = ("rubberband R3", "signalsmith", "bungee")
OTHERS = ("rubberband R2", "gst pitch", "gst scaletempo", "mpv scaletempo2", "ffmpeg atempo", "sox tempo", "sonic")
# measures in which WSOLA (a method that joins copies of its input) is perfect by construction:
# (trial, measure)
BY_COPYING = {("bass", "sndr"), ("voice", "pulse")}
NEAR_1 = ("0.75", "1.25", "1.5")


def higher(value: float) -> float:
    return value


def lower(value: float) -> float:
    return -value


def nearer_to_0(value: float) -> float:
    return -abs(value)


@dataclass(frozen=True)
class Measure:
    """A column of the tables: measure `name` of `trial`. `good`: a function of the figure that
    rises as the figure improves. `digits`: number of decimals in tables."""

    title: str
    trial: str
    name: str
    good: Callable[[float], float]
    digits: int = 2

    def of(self, results: Results, program: str, factor: str) -> float:
        """Returns the figure of this measure, or NaN if it was not measured."""
        value = results.get(program, {}).get(factor, {}).get(self.trial, {}).get(self.name)
        return math.nan if value is None else value

    def text(self, value: float) -> str:
        return "–" if math.isnan(value) else f"{value:.{self.digits}f}"


CHORD = Measure("chord SNDR dB", "chord", "sndr", higher, 0)
DENSE = Measure("dense chord SNDR dB", "dense", "sndr", higher, 0)
BASS = Measure("bass SNDR dB", "bass", "sndr", higher, 0)
GLIDE = Measure("glide SNDR dB", "glide", "sndr", higher, 0)
JITTER = Measure("attack jitter ms", "castanet", "jitter_ms", lower)
PRE_ECHO = Measure("pre-echo dB", "castanet", "pre", lower, 0)
LOST = Measure("attack level dB", "drums", "attack", nearer_to_0)
VOICE = Measure("voice dB", "voice", "lsd", lower)
PULSE = Measure("voice pulses dB", "voice", "pulse", nearer_to_0, 1)
SONG = Measure("song dB", "song", "long", lower)
DRUMS = Measure("drums, 8 ms, dB", "drums", "short", lower)
TONAL = Measure("tonal dB", "tonal", "long", lower)
PHASE = Measure("stereo phase °", "stereo", "delay_deg", lower)
MODULATION = Measure("noise modulation dB", "noise", "mod", lower, 1)
SONG_SHORT = Measure("song, 8 ms, dB", "song", "short", lower)
TONAL_SHORT = Measure("tonal, 8 ms, dB", "tonal", "short", lower)
DRUMS_LONG = Measure("drums, 85 ms, dB", "drums", "long", lower)
SONGS = [SONG, SONG_SHORT, DRUMS, DRUMS_LONG, TONAL, TONAL_SHORT]
MEASURES = [CHORD, DENSE, BASS, GLIDE, JITTER, PRE_ECHO, LOST, VOICE, PULSE, *SONGS, PHASE, MODULATION]


@dataclass(frozen=True)
class Row:
    """A bar and its result. `margin`: by how much the figure is better than required, in the unit
    of the measure; NaN if not measured."""

    bar: str
    factor: str
    ours: str
    wanted: str
    margin: float

    @property
    def verdict(self) -> str:
        if math.isnan(self.margin):
            return "not measured"
        return "met" if self.margin >= 0 else "**missed**"


def best_peer(measure: Measure, results: Results, peers, factor: str) -> tuple[str, float]:
    """Returns (name, figure) of the best measured peer; ("", NaN) if none was measured."""
    values = [(peer, measure.of(results, peer, factor)) for peer in peers]
    return max(
        ((p, v) for p, v in values if not math.isnan(v)), key=lambda one: measure.good(one[1]), default=("", math.nan)
    )


def beside(measure: Measure, results: Results, ours: str, peers, factor: str, ahead: float = 0) -> Row:
    """A bar: Retrograde is better than the best of the peers by at least `ahead`."""
    value = measure.of(results, ours, factor)
    peer, theirs = best_peer(measure, results, peers, factor)
    margin = measure.good(value) - measure.good(theirs) - ahead
    wanted = f"{measure.text(theirs)} ({peer})" + (f", {ahead:g} better" if ahead else "") if peer else "–"
    return Row(measure.title, factor, measure.text(value), wanted, margin)


def within(measure: Measure, results: Results, ours: str, factor: str, limit: float) -> Row:
    """A bar: the figure is at most `limit` away from 0 or, if lower is better, at most `limit`."""
    value = measure.of(results, ours, factor)
    size = abs(value) if measure.good is nearer_to_0 else value
    return Row(measure.title, factor, measure.text(value), f"at most {limit:g}", limit - size)


def modulation(results: Results, ours: str, factor: str) -> Row:
    value, ideal = (MODULATION.of(results, program, factor) for program in (ours, "oracle"))
    return Row(
        MODULATION.title,
        factor,
        MODULATION.text(value),
        f"within 1 of {MODULATION.text(ideal)} (oracle)",
        1 - abs(value - ideal),
    )


def beside_best(results: Results, ours: str, factor: str) -> list[Row]:
    """Bars relative to the best of Rubber Band R3, Signalsmith and Bungee."""
    ahead = 8 if factor in NEAR_1 else 0
    rows = [beside(measure, results, ours, BEST, factor, ahead) for measure in (CHORD, DENSE)]
    rows += [beside(measure, results, ours, BEST, factor) for measure in (GLIDE, VOICE, SONG, DRUMS, TONAL, PHASE)]
    rows += [within(JITTER, results, ours, factor, 0.1), beside(PRE_ECHO, results, ours, BEST, factor, 10)]
    if factor in NEAR_1:
        rows.append(within(LOST, results, ours, factor, 0.3))
    else:
        rows.append(beside(LOST, results, ours, BEST, factor))
    return [*rows, modulation(results, ours, factor)]


def beside_others(results: Results, ours: str, factor: str) -> list[Row]:
    """Bars relative to the best of `OTHERS` in every measure except `BY_COPYING`. Noise modulation
    is excluded, too: its goal is the oracle's value, so lower is not always better."""
    measures = [measure for measure in MEASURES if measure is not MODULATION]
    rows = [beside(measure, results, ours, OTHERS, factor) for measure in measures]
    return [row for row, measure in zip(rows, measures) if (measure.trial, measure.name) not in BY_COPYING]


def excused(results: Results, ours: str, factor: str) -> list[Row]:
    """The bars of the measures in `BY_COPYING`, which are listed but do not count."""
    measures = [measure for measure in MEASURES if (measure.trial, measure.name) in BY_COPYING]
    return [beside(measure, results, ours, OTHERS, factor) for measure in measures]
