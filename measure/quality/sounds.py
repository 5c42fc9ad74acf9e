#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the sounds of the web page "Before and after": short sounds, stretched by Retrograde and by
other programs, as Opus files with a spectrogram each, and a list of them, sounds.json.
`make site-sounds` writes them to web/sounds."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.metadata import distributions
from pathlib import Path

for _library in ("OMP", "OPENBLAS"):  # must be set before numpy is imported
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from stretch import peers, provenance, scenes  # noqa: E402
from stretch.audio import mono, write_wav  # noqa: E402
from stretch.backwards import decoded_forwards, ours_backwards, stock_backwards  # noqa: E402
from stretch.distance import aligned, distance  # noqa: E402
from stretch.loudness import gains  # noqa: E402
from stretch.score import RATE  # noqa: E402
from stretch.spectrogram import COLOURS, HIGHEST_DB, LOWEST_DB, spectrogram  # noqa: E402

PEAK = 0.89  # of the loudest version of a sound
LOW_LATENCY = peers.Peer(
    "timescale low-latency",
    peers.element(lambda factor: f"timescale keep-pitch=true window=low-latency factor={peers.digits(factor)}"),
)
NAMES = {
    "timescale": "Retrograde",
    "timescale low-latency": "Retrograde, low-latency",
    "rubberband R3": "Rubber Band R3",
    "signalsmith": "Signalsmith Stretch",
    "bungee": "Bungee",
    "gst pitch": "pitch (SoundTouch)",
    "gst scaletempo": "scaletempo",
}
COMPARED = ["rubberband R3", "signalsmith", "bungee", "gst pitch", "gst scaletempo"]


@dataclass
class Version:
    """One version of a sound. `figure`: distance from the ideal in the unit of its judge, rounded as on the
    page; `None` if unknown."""

    id: str
    name: str
    detail: str
    samples: np.ndarray
    figure: float | None = None


def text_of(*words: str) -> str:
    result = subprocess.run(words, capture_output=True, text=True)
    return (result.stdout + result.stderr).strip()


def details() -> dict[str, str]:
    """Returns the element of ours, and the name and version of each other program."""
    gstreamer = text_of("gst-inspect-1.0", "--version").splitlines()[1]
    touch = text_of("dpkg-query", "-W", "-f", "${Version}", "libsoundtouch1").partition("+")[0]
    paths = [str(path) for path in peers.BINDINGS_PYTHON.parents[1].glob("lib/python3*/site-packages")]
    python = {package.metadata["Name"]: package.version for package in distributions(path=paths)}
    return {
        "timescale": "timescale keep-pitch=true",
        "timescale low-latency": "timescale keep-pitch=true window=low-latency",
        "rubberband R3": f"{text_of('rubberband', '--version')}, rubberband -3",
        "signalsmith": f"python-stretch {python.get('python-stretch', '?')}",
        "bungee": f"bungee-python {python.get('bungee-python', '?')}",
        "gst pitch": f"{gstreamer}, SoundTouch {touch}, pitch",
        "gst scaletempo": f"{gstreamer}, scaletempo",
    }


def slug(name: str) -> str:
    return re.sub(r"\W+", "-", name.lower())


def bench(column: str, factor: float) -> dict[str, float]:
    """Reads the first table in docs/internals/stretch.md that has this column. Returns the figures for a
    factor, by program."""
    found: dict[str, float] = {}
    place = None
    for line in (peers.ROOT / "docs/internals/stretch.md").read_text().splitlines():
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if place is None and column in cells:
            place = cells.index(column)
        elif place is not None and not line.startswith("|"):
            break
        elif place is not None and cells[0] == f"{factor:g}" and cells[place] != "–":
            found[cells[1]] = float(cells[place])
    return found


def stretched(scene: scenes.Scene, programs: list[peers.Peer]) -> list[Version]:
    """Returns the input, the ideal if known, and the output of each program without its delay."""
    given, about, judge = scene.render(1), details(), scene.judge
    versions = [Version("original", "Original", "before", given)]
    ideal = scene.render(scene.factor) if judge.figure else None
    known = bench(judge.column, scene.factor) if judge.column else {}
    if ideal is not None:
        versions.append(Version("ideal", "Ideal", scene.ideal, ideal))
    guide = ideal
    for peer in programs:
        output = peer(given, scene.factor)
        guide = output if guide is None else guide
        output, _ = aligned(output, guide)
        figure = judge.figure(output, ideal, scene.factor) if judge.figure else known.get(peer.name)
        figure = figure if figure is None else round(float(figure), 1)
        versions.append(Version(slug(NAMES[peer.name]), NAMES[peer.name], about[peer.name], output, figure))
    return versions


def verdict(versions: list[Version], judge: scenes.Judge) -> str:
    """Returns the sentence that says which program is nearest to the ideal, and how near Retrograde
    with its defaults is."""
    judged = [version for version in versions if version.figure is not None and version.id != slug(NAMES[LOW_LATENCY.name])]
    judged.sort(key=lambda one: one.figure, reverse=judge.is_higher_better)
    best, ours = judged[0], next(version for version in judged if version.id == "retrograde")
    known = "These figures are for another sound, because no ideal of this one is known. For that sound, " if judge.column else ""
    rival = judged[1] if best is ours else best
    if rival.figure == ours.figure:
        return f"{known}Retrograde, {shown(ours)}, is level with {rival.name}, {shown(rival)}."
    if best is ours:
        return f"{known}Retrograde is {'the best' if known else 'the nearest to the ideal'}, {shown(ours)}. Next is {rival.name}, {shown(rival)}."
    place = judged.index(ours) + 1
    said = f"{known}Retrograde is not the best{'' if known else ' here'}: {best.name} has {shown(best)}, Retrograde {shown(ours)}, place {place} of {len(judged)}."
    other = [f" With window=low-latency it has {shown(version)}." for version in versions if version.name.endswith("low-latency")]
    return said + "".join(other)


def shown(version: Version) -> str:
    return f"{version.figure:.1f} dB"


def backwards(scene: scenes.Scene) -> list[Version]:
    """Returns an MP3, reversed by stock GStreamer and by Retrograde, and the forward decode
    reversed."""
    about = details()
    with tempfile.TemporaryDirectory(prefix="backwards") as folder:
        source, file = Path(folder, "in.wav"), Path(folder, "in.mp3")
        write_wav(source, scene.render(1), 16)
        subprocess.run(["ffmpeg", "-v", "error", "-i", source, "-b:a", "128k", file], check=True)
        forward = decoded_forwards(file)
        found = {
            "retrograde": ("Retrograde", "revbuf direction=reverse", ours_backwards(file)),
            "stock": ("Stock GStreamer", about["gst scaletempo"].partition(",")[0] + ", seek with rate −1", stock_backwards(file)),
        }
    ideal = forward[::-1]
    versions = [Version("original", "Original", "forwards", forward), Version("ideal", "Ideal", "all of it decoded, then turned around", ideal)]
    for id, (name, detail, samples) in found.items():
        count = min(len(samples), len(ideal))
        wrong = np.count_nonzero(np.abs(mono(samples)[:count] - mono(ideal)[:count]) > 1e-3)
        versions.append(Version(id, name, detail, samples[: len(ideal)], round(100 * wrong / count, 1)))
    return versions


def write(versions: list[Version], name: str, scene: scenes.Scene, folder: Path) -> list[dict]:
    """Writes an Opus file and a picture for each version, with the same gain for all. Returns their
    entries for sounds.json."""
    gain = PEAK / max(np.max(np.abs(version.samples)) for version in versions)
    made = []
    for version in versions:
        base = f"{name}-{version.id}"
        with tempfile.TemporaryDirectory(prefix="opus") as temporary:
            source = Path(temporary, "sound.wav")
            write_wav(source, gain * version.samples)
            encode(source, folder / f"{base}.opus", scene.kilobits)
        spectrogram(gain * mono(version.samples), scene.window, scene.top_hz).save(folder / f"{base}.webp", quality=42, method=6)
        entry = {key: value for key, value in asdict(version).items() if key != "samples"}
        seconds = round(len(version.samples) / RATE, 2)
        made.append({**entry, "seconds": seconds, "sound": f"{base}.opus", "picture": f"{base}.webp"})
    for entry, gain in zip(made, gains([folder / entry["sound"] for entry in made])):
        entry["gain"] = gain
    return made


def encode(source: Path, target: Path, kilobits: int) -> None:
    exact = ["-fflags", "+bitexact", "-flags:a", "+bitexact", "-map_metadata", "-1"]
    words = ["ffmpeg", "-v", "error", "-y", "-i", source, "-c:a", "libopus", "-b:a", f"{kilobits}k", "-vbr", "constrained", *exact, target]
    subprocess.run(words, check=True)


def pair(scene: scenes.Scene, versions: list[Version], said: str, unit: str, folder: Path) -> dict:
    name = scene.id if scene.factor < 0 else f"{scene.id}-{scene.factor:g}".replace(".", "")
    return {
        "id": name, "title": scene.title, "factor": scene.factor, "listen": scene.listen, "source": scene.source, "verdict": said,
        "measure": scene.judge.about, "unit": unit, "topHz": scene.top_hz,
        "versions": write(versions, name, scene, folder),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=peers.ROOT / "web/sounds")
    asked = parser.parse_args()
    programs = [peer for peer in peers.PEERS if peer.name in COMPARED]
    if len(peers.usable(programs)) < len(programs):
        sys.exit("The page compares with all of them: install what is missing, then make site-sounds.")
    programs.sort(key=lambda peer: COMPARED.index(peer.name))
    for old in [*asked.folder.glob("*.opus"), *asked.folder.glob("*.webp")]:
        old.unlink()
    asked.folder.mkdir(parents=True, exist_ok=True)
    pairs = []
    for scene in scenes.STRETCHED:
        wanted = [peers.ours(), *([LOW_LATENCY] if scene.id == "applause" else []), *programs]
        versions = stretched(scene, wanted)
        pairs.append(pair(scene, versions, verdict(versions, scene.judge), "dB", asked.folder))
    versions = backwards(scenes.BACKWARDS)
    said = " ".join(f"{version.name}: {version.figure:.1f} % of the frames are wrong." for version in versions[2:])
    pairs.append(pair(scenes.BACKWARDS, versions, said, "%", asked.folder))
    scale = {"db": [LOWEST_DB, HIGHEST_DB], "colours": COLOURS.tolist()}
    made = {"origin": provenance.line("make site-sounds"), "scale": scale, "pairs": pairs}
    (asked.folder / "sounds.json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    size = sum(path.stat().st_size for path in asked.folder.iterdir())
    print(f"{asked.folder}: {len(pairs)} pairs, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
