#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws docs/pictures/instrument-*.png: spectrograms of instruments, applause and a voice: the
input, the ideal, the output of Retrograde, and the output of the other program that is nearest to
the ideal."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from drawing import PICTURES  # adds the folder of the modules below
from formants import PROGRAMS as PITCH
from pictures import plt, save
from stretch import instruments, peers, speakers
from stretch.audio import mono
from stretch.distance import LONG, SHORT, Resolution, aligned, distance
from stretch.score import RATE

NAMES = ("rubberband R3", "signalsmith", "bungee", "sonic")
TEMPO = [peers.ours(), *(program for program in peers.PEERS if program.name in NAMES)]


@dataclass(frozen=True)
class Scene:
    """`by`: the factor, or with `moves_pitch` the semitones. `start_s` and `seconds` are times of the
    input. `window` in frames and `near` are chosen for what the picture shows."""

    name: str
    title: str
    render: Callable[[float], np.ndarray]
    by: float
    programs: list[peers.Peer]
    near: Resolution
    start_s: float
    seconds: float
    window: int
    top_hz: float

    @property
    def moves_pitch(self) -> bool:
        return self.programs is PITCH


SOUNDS = {sound.name: sound.render for sound in instruments.SOUNDS}
VOICE = speakers.SPEAKERS[0].render
SCENES = [
    Scene("applause", "Applause, factor 2", SOUNDS["applause"], 2, TEMPO, SHORT, 0.1, 0.8, 256, 16000),
    Scene("piano", "Piano, factor 0.5", SOUNDS["piano"], 0.5, TEMPO, SHORT, 1, 0.6, 1024, 4000),
    Scene("bars", "Struck bars, factor 3", SOUNDS["struck bars"], 3, TEMPO, SHORT, 1.1, 0.3, 512, 12000),
    Scene("violin", "Solo violin, factor 2", SOUNDS["solo violin"], 2, TEMPO, LONG, 1, 1.2, 2048, 9000),
    Scene("voice", "Voice, 4 semitones up, formants kept", VOICE, 4, PITCH, LONG, 1, 0.8, 1024, 6000),
]


def outputs(scene: Scene, source: np.ndarray, ideal: np.ndarray) -> dict[str, np.ndarray]:
    """The output of Retrograde, and of the other program that is nearest to the ideal."""
    found, away = {}, {}
    for program in peers.usable(scene.programs):
        output = program(source, scene.by)
        found[program.name], _ = aligned(output.reshape(len(output), *ideal.shape[1:]), ideal)
        away[program.name] = distance(found[program.name], ideal, scene.near)
    print(f"{scene.name}: {', '.join(f'{name} {db:.2f} dB' for name, db in away.items())}", file=sys.stderr)
    ours, *others = found
    best = min(others, key=away.__getitem__)
    return {ours: found[ours], best: found[best]}


def draw(axis, samples: np.ndarray, scene: Scene, factor: float, title: str) -> None:
    start, end = (int(second * factor * RATE) for second in (scene.start_s, scene.start_s + scene.seconds))
    piece = mono(samples)[start:end]
    piece = piece + 1e-6 * np.random.default_rng(1).standard_normal(len(piece))
    overlap = scene.window * 15 // 16
    axis.specgram(piece, NFFT=scene.window, Fs=RATE, noverlap=overlap, vmin=-130, vmax=-40, cmap="magma")
    axis.set_ylim(0, scene.top_hz)
    axis.set_title(title, fontsize=8)
    axis.tick_params(labelsize=6)


def picture(scene: Scene) -> None:
    source, ideal = scene.render(0 if scene.moves_pitch else 1), scene.render(scene.by)
    panels = {"input": source, "ideal": ideal, **outputs(scene, source, ideal)}
    figure, axes = plt.subplots(1, len(panels), figsize=(11, 2.6), sharey=True)
    for axis, (title, samples) in zip(axes, panels.items()):
        draw(axis, samples, scene, 1 if scene.moves_pitch or title == "input" else scene.by, title)
    save(figure, f"{scene.title}; s, Hz", PICTURES / f"instrument-{scene.name}.png", dpi=80)


def main() -> None:
    wanted = sys.argv[1:] or [scene.name for scene in SCENES]
    for scene in SCENES:
        if scene.name in wanted:
            picture(scene)


if __name__ == "__main__":
    main()
