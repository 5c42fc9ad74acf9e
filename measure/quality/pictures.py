#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws spectrograms of six excerpts for docs/. Each PNG shows one excerpt, stretched by Retrograde
and by other programs, beside the ideal."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image
from stretch import attacks, peers, recordings, song, tones, voice
from stretch.audio import mono
from stretch.score import RATE, Score

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

PEERS = ["rubberband R3", "signalsmith", "bungee", "gst scaletempo", "gst pitch"]


@dataclass(frozen=True)
class Excerpt:
    """`start_s` and `seconds` are times of the input; `window` is the length of the spectrogram's
    window, in frames; frequencies up to `top_hz` are shown."""

    name: str
    title: str
    render: Callable[[Score, float], np.ndarray]
    factor: float
    start_s: float
    seconds: float
    window: int
    top_hz: float
    ideal: bool = True


def recorded(name: str) -> Callable[[Score, float], np.ndarray]:
    return lambda score, factor: recordings.recording(name)


EXCERPTS = [
    Excerpt(
        "chord",
        "A steady chord",
        lambda score, factor: tones.tones(score, score.chord, factor),
        1.5,
        1.0,
        1.0,
        8192,
        1200,
    ),
    Excerpt("glide", "A glide with vibrato", tones.glide, 1.5, 1.0, 1.5, 4096, 6000),
    Excerpt(
        "castanets",
        "Castanets",
        lambda score, factor: attacks.attacks(score, "castanet", factor),
        1.5,
        1.0,
        0.8,
        256,
        16000,
    ),
    Excerpt("voice", "A voice", voice.voice, 1.5, 1.0, 0.8, 512, 8000),
    Excerpt("song", "A song", song.song, 0.75, 2.0, 1.2, 1024, 12000),
    Excerpt("amen", "A recorded drum break", recorded("amen"), 2.0, 0.5, 0.8, 512, 12000, ideal=False),
]


def draw(axis, samples: np.ndarray, excerpt: Excerpt, title: str) -> None:
    factor = 1 if title == "input" else excerpt.factor
    start, end = (int(second * factor * RATE) for second in (excerpt.start_s, excerpt.start_s + excerpt.seconds))
    piece = mono(samples)[start:end]
    piece = piece + 1e-6 * np.random.default_rng(1).standard_normal(len(piece))
    axis.specgram(
        piece, NFFT=excerpt.window, Fs=RATE, noverlap=excerpt.window * 7 // 8, vmin=-130, vmax=-40, cmap="magma"
    )
    axis.set_ylim(0, excerpt.top_hz)
    axis.set_title(title, fontsize=8)
    axis.tick_params(labelsize=6)


def save(figure: plt.Figure, title: str, target: Path, dpi: int) -> None:
    """Writes `figure` with `title` to a PNG file of 40 colours, and closes it."""
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(target, dpi=dpi)
    with Image.open(target) as image:  # reduces the file to a third
        image.convert("RGB").quantize(40, dither=Image.Dither.NONE).save(target, optimize=True)
    plt.close(figure)


def picture(excerpt: Excerpt, programs: list[peers.Peer], folder: Path) -> None:
    score = Score()
    given = excerpt.render(score, 1)
    if given is None:
        print(f"{excerpt.name} is left out: its recording is not installed.")
        return
    panels = [("ideal", excerpt.render(score, excerpt.factor))] if excerpt.ideal else [("input", given)]
    panels += [(peer.name, peer(given, excerpt.factor)) for peer in programs]
    columns = (len(panels) + 1) // 2
    figure, axes = plt.subplots(2, columns, figsize=(2.6 * columns, 4.2), squeeze=False)
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, (title, samples) in zip(axes.flat, panels):
        draw(axis, samples, excerpt, title)
    save(figure, f"{excerpt.title}, factor {excerpt.factor:g}; s, Hz", folder / f"stretch-{excerpt.name}.png", dpi=72)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=peers.ROOT / "build/quality")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"default: {','.join(PEERS)}")
    parser.add_argument(
        "--cmd", action="append", default=[], metavar="'NAME=PROGRAM IN OUT FACTOR'", help="one more program"
    )
    parser.add_argument("--only", help="names of excerpts")
    asked = parser.parse_args()
    known = [peers.ours(), *(peer for peer in peers.PEERS if peer.name in asked.peers.split(","))]
    programs = [peers.from_words(text) for text in asked.cmd] + peers.usable(known)
    asked.folder.mkdir(parents=True, exist_ok=True)
    for excerpt in EXCERPTS:
        if not asked.only or excerpt.name in asked.only.split(","):
            picture(excerpt, programs, asked.folder)


if __name__ == "__main__":
    main()
