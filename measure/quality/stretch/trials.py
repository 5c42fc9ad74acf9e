# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The trials that every program goes through: a signal to stretch, and measures for the output."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import attacks, noise, recordings, song, stereo, tones, voice
from .score import RATE, Score

Figures = dict[str, float]
Stretcher = Callable[[np.ndarray, float], np.ndarray]  # (samples, factor) → samples


@dataclass(frozen=True)
class Trial:
    """A trial with a rendered signal. `render` plays the score with a factor; `measure` measures an
    output. `ideal` returns the figures of the ideal output if one rendering of it is not enough."""

    group: str
    name: str
    render: Callable[[Score, float], np.ndarray]
    measure: Callable[[np.ndarray, Score, float], Figures]
    ideal: Callable[[Score, float], Figures] | None = None

    def figures(self, stretch: Stretcher, score: Score, factor: float) -> dict[str, Figures]:
        return {self.name: self.measure(stretch(self.render(score, 1), factor), score, factor)}

    def oracle(self, score: Score, factor: float) -> dict[str, Figures]:
        """Returns the figures of the ideal output: the score rendered at the new tempo."""
        if self.ideal:
            return {self.name: self.ideal(score, factor)}
        return {self.name: self.measure(self.render(score, factor), score, factor)}


@dataclass(frozen=True)
class Recorded:
    """A trial with a recording: it is stretched and stretched back. Measures the result of this
    round trip, and the attacks after the first half of the trip."""

    recording: str
    group: str = "recordings"

    @property
    def name(self) -> str:
        return f"trip.{self.recording}"

    def figures(self, stretch: Stretcher, score: Score, factor: float) -> dict[str, Figures]:
        given = recordings.recording(self.recording)
        if given is None:
            return {}
        output = stretch(given, factor)
        figures = {self.name: recordings.round_trip(stretch(output, 1 / factor), given)}
        if self.recording in recordings.WITH_ATTACKS:
            figures[f"onsets.{self.recording}"] = recordings.onsets(output, given, factor)
        return figures

    def oracle(self, score: Score, factor: float) -> dict[str, Figures]:
        return {}


def steady(name: str) -> Trial:
    """A trial with one of the score's chords."""

    def render(score: Score, factor: float) -> np.ndarray:
        return tones.tones(score, getattr(score, name), factor)

    def measure(output: np.ndarray, score: Score, factor: float) -> Figures:
        return tones.tone(output, render(score, 1), getattr(score, name), factor)

    return Trial("tone", name, render, measure)


def attacking(kind: str) -> Trial:
    def render(score: Score, factor: float) -> np.ndarray:
        return attacks.attacks(score, kind, factor)

    def measure(output: np.ndarray, score: Score, factor: float) -> Figures:
        return attacks.events(output, attacks.attack_times(score) * factor, kind, score)

    return Trial("attacks", kind, render, measure)


def noisiness(output: np.ndarray, score: Score, factor: float) -> Figures:
    return noise.noisiness(output, noise.noise(score))


def playing(name: str, band: song.Band) -> Trial:
    return Trial(
        "song",
        name,
        lambda score, factor: song.song(score, factor, band),
        lambda output, score, factor: song.played(output, score, factor, band),
    )


def cut_off(name: str, render: Callable[[Score, float], np.ndarray], place: Callable[[Score], float]) -> Trial:
    """A trial with a sound that is cut off in its middle, at `place` seconds of the score."""

    def cut(score: Score, factor: float) -> np.ndarray:
        return render(score, factor)[: int(place(score) * RATE * factor)]

    return Trial(
        "ends", f"end.{name}", cut, lambda output, score, factor: attacks.end_levels(output, cut(score, factor))
    )


SCORED = [
    steady("chord"),
    steady("dense"),
    steady("bass"),
    Trial("glide", "glide", tones.glide, tones.gliding),
    attacking("click"),
    attacking("castanet"),
    Trial("noise", "noise", noise.noise, noisiness, noise.ideal),
    Trial("voice", "voice", voice.voice, voice.spoken),
    playing("song", song.Band()),
    playing("drums", song.Band(tonal=False)),
    playing("tonal", song.Band(drums=False)),
    Trial("stereo", "stereo", stereo.stereo, lambda output, score, factor: stereo.image(output, factor)),
    Trial("stereo", "twins", stereo.twins, lambda output, score, factor: stereo.sameness(output)),
    Trial("ends", "ends", attacks.ends_signal, lambda output, score, factor: attacks.ends(output, factor)),
    cut_off("chord", lambda score, factor: tones.tones(score, score.chord, factor), lambda score: 3.1),
    cut_off("voice", voice.voice, voice.middle_of_a_vowel),
    cut_off("song", song.song, lambda score: 3.1),
    cut_off("noise", noise.noise, lambda score: 3.1),
]
GROUPS = [*dict.fromkeys(trial.group for trial in SCORED), "recordings"]


def trials(groups: list[str], held_out: bool) -> list[Trial | Recorded]:
    names = recordings.HELD_OUT if held_out else recordings.USUAL
    return [trial for trial in [*SCORED, *map(Recorded, names)] if trial.group in groups]
