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
from stretch import attacks, peers, provenance, recordings, song, tones, voice
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


def save_panels(panels: list[dict], title: str, target: Path) -> None:
    """Draws spectrograms in two columns, as wide as a phone can show them, and writes them to a PNG file of 64
    colours. Each panel has the arguments of `draw`."""
    rows = (len(panels) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(5, 0.7 + 1.65 * rows), squeeze=False, layout="constrained")
    for axis in axes.flat[len(panels) :]:
        axis.set_visible(False)
    for axis, panel in zip(axes.flat, panels):
        image = draw(axis, **panel)
        if axis in axes[-1]:
            axis.set_xlabel("s", fontsize=9)
    scale = figure.colorbar(image, ax=axes, location="bottom", label="level, dB/Hz", aspect=40)
    scale.ax.tick_params(labelsize=8)
    scale.ax.xaxis.label.set_size(9)
    figure.suptitle(title, fontsize=10)
    figure.supylabel("kHz", fontsize=9)
    figure.savefig(target, dpi=110)
    with Image.open(target) as image:  # reduces the file to a third
        image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(target, optimize=True)
    plt.close(figure)


def draw(axis, samples: np.ndarray, title: str, frames: int, top_hz: float, overlap: float = 7 / 8, noise: float = 1e-6, **options):
    """Draws a spectrogram with windows of `frames`, up to `top_hz`. `noise` is added, because silence has no level."""
    options = {"vmin": -130, "vmax": -40, **options}
    piece = mono(samples) + noise * np.random.default_rng(1).standard_normal(len(samples))
    image = axis.specgram(piece, NFFT=frames, Fs=RATE, noverlap=int(frames * overlap), cmap="magma", **options)[3]
    axis.set_ylim(0, top_hz)
    axis.yaxis.set_major_formatter(lambda hz, _: f"{hz / 1000:g}")
    axis.set_title(title, fontsize=9)
    axis.tick_params(labelsize=8)
    return image


def part(samples: np.ndarray, excerpt: Excerpt, title: str) -> np.ndarray:
    factor = 1 if title == "input" else excerpt.factor
    start, end = (int(second * factor * RATE) for second in (excerpt.start_s, excerpt.start_s + excerpt.seconds))
    return samples[start:end]


def picture(excerpt: Excerpt, programs: list[peers.Peer], folder: Path) -> None:
    score = Score()
    given = excerpt.render(score, 1)
    if given is None:
        print(f"{excerpt.name} is left out: its recording is not installed.")
        return
    panels = [("ideal", excerpt.render(score, excerpt.factor))] if excerpt.ideal else [("input", given)]
    panels += [(peer.name, peer(given, excerpt.factor)) for peer in programs]
    drawn = [
        {"samples": part(samples, excerpt, title), "title": title, "frames": excerpt.window, "top_hz": excerpt.top_hz}
        for title, samples in panels
    ]
    save_panels(drawn, f"{excerpt.title}, factor {excerpt.factor:g}", folder / f"stretch-{excerpt.name}.png")


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
    figures = peers.ROOT / "build/quality"
    figures.mkdir(parents=True, exist_ok=True)
    provenance.note(figures / "pictures.json", "measure/quality/pictures.py docs/pictures")


if __name__ == "__main__":
    main()
