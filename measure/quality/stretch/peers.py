# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that stretch a WAV file and keep its pitch, run with the options that users would
choose."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from .audio import read_wav, write_wav

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
BINDINGS_PYTHON = Path(os.environ.get("PEERS_PYTHON", ROOT / "build/venv-peers/bin/python3"))
ENVIRONMENT = {
    **os.environ,
    "GST_PLUGIN_PATH_1_0": str(ROOT / "build/gst-plugin"),
    "GST_REGISTRY_1_0": str(ROOT / "build/gst-registry.bin"),
    "GST_PLUGIN_FEATURE_RANK": "mpg123audiodec:PRIMARY",  # as in the examples
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "NUMBA")},
}
TIMEOUT_S = 900

# Returns the command line (program and arguments) for an input file, an output file and a factor.
Command = Callable[[str, str, float], list[str]]


@dataclass(frozen=True)
class Peer:
    """A program. `needs`: what must be installed, as `kind:name`; empty if nothing. `bits`: sample
    size of the files that it accepts, 32 (float) or 16. `says_mono`: the header of its output
    wrongly declares one channel for two."""

    name: str
    command: Command
    needs: str = ""
    bits: int = 32
    says_mono: bool = False

    def __call__(self, samples: np.ndarray, factor: float) -> np.ndarray:
        """Stretches samples. The output is neither trimmed nor aligned. If the program fails,
        raises RuntimeError with the end of its output."""
        with tempfile.TemporaryDirectory(prefix="stretch") as folder:
            source, target = Path(folder, "in.wav"), Path(folder, "out.wav")
            write_wav(source, samples, self.bits)
            words = self.command(str(source), str(target), factor)
            result = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT_S)
            if result.returncode != 0 or not target.exists():
                raise RuntimeError(f"{' '.join(words)}: {(result.stdout + result.stderr)[-400:]}")
            output = read_wav(target)
        if self.says_mono and samples.ndim == 2 and output.ndim == 1:
            return output.reshape(-1, samples.shape[1])
        return output

    def missing(self) -> str | None:
        """Returns the program, element or package that is not installed, or `None`."""
        return None if not self.needs or installed(self.needs) else self.needs.split(":")[1]


@cache
def installed(need: str) -> bool:
    kind, name = need.split(":")
    if kind == "program":
        return shutil.which(name) is not None
    if kind == "element":  # the name may include properties
        return succeeds(f"gst-launch-1.0 -q audiotestsrc num-buffers=1 ! {name} ! fakesink".split())
    return BINDINGS_PYTHON.exists() and succeeds([str(BINDINGS_PYTHON), "-c", f"import {name}"])


def succeeds(command: list[str]) -> bool:
    if not shutil.which(command[0]):
        return False
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True).returncode == 0


def digits(value: float) -> str:
    return f"{value:.12g}"


def gst(source: str, target: str, elements: str) -> list[str]:
    read = f"filesrc location={source} ! wavparse ! audioconvert ! audio/x-raw,format=F32LE"
    return f"gst-launch-1.0 -q {read} ! {elements} ! wavenc ! filesink location={target}".split()


def element(description: Callable[[float], str]) -> Command:
    return lambda source, target, factor: gst(source, target, description(factor))


def by_rate(name: str) -> Command:
    """A command for an element that applies the rate of the segment, as in playbin."""
    return lambda source, target, factor: [
        "/usr/bin/python3", str(HERE / "play_at_rate.py"), name, source, target, digits(1 / factor)
    ]  # fmt: skip


def mpv(source: str, target: str, factor: float) -> list[str]:
    output = [
        "--no-config",
        "--no-terminal",
        "--no-video",
        "--ao=pcm",
        f"--ao-pcm-file={target}",
        "--audio-format=float",
    ]
    return ["mpv", *output, "--af=scaletempo2=min-speed=0.1", f"--speed={digits(1 / factor)}", source]


def atempo(source: str, target: str, factor: float) -> list[str]:
    """Chains several filters for long factors, because one reaches only half the tempo."""
    tempo, filters = 1 / factor, []
    while tempo < 0.5:
        filters.append("atempo=0.5")
        tempo *= 2
    filters.append(f"atempo={digits(tempo)}")
    return [
        "ffmpeg",
        "-v",
        "error",
        "-y",
        "-threads",
        "1",
        "-i",
        source,
        "-af",
        ",".join(filters),
        "-c:a",
        "pcm_f32le",
        target,
    ]


def rubberband(engine: str) -> Command:
    return lambda source, target, factor: [
        "rubberband",
        "-q",
        engine,
        "--no-threads",
        "-t",
        digits(factor),
        source,
        target,
    ]


def binding(name: str) -> Command:
    return lambda source, target, factor: [
        str(BINDINGS_PYTHON), str(HERE / "bindings.py"), name, source, target, digits(factor)
    ]  # fmt: skip


PEERS = [
    Peer("rubberband R3", rubberband("-3"), "program:rubberband"),
    Peer("signalsmith", binding("signalsmith"), "module:python_stretch"),
    Peer("bungee", binding("bungee"), "module:bungee_python"),
    Peer("rubberband R2", rubberband("-2"), "program:rubberband"),
    Peer("gst pitch", element(lambda factor: f"pitch tempo={digits(1 / factor)}"), "element:pitch"),
    Peer("gst scaletempo", by_rate("scaletempo"), "element:scaletempo"),
    Peer("mpv scaletempo2", mpv, "program:mpv"),
    Peer("ffmpeg atempo", atempo, "program:ffmpeg"),
    Peer(
        "sox tempo", lambda source, target, factor: ["sox", source, target, "tempo", digits(1 / factor)], "program:sox"
    ),
    Peer(
        "sonic",
        lambda source, target, factor: ["sonic", "-s", digits(1 / factor), source, target],
        "program:sonic",
        16,
        True,
    ),
]

OURS = "timescale"


def ours() -> Peer:
    """The plugin's element, from the build folder."""
    return Peer(
        OURS,
        element(lambda factor: f"timescale keep-pitch=true factor={digits(factor)}"),
        f"element:{OURS} keep-pitch=true",
    )


def from_words(text: str) -> Peer:
    """Parses `NAME=PROGRAM … IN … OUT … FACTOR`. Raises ValueError with a sentence for the user if
    the text is invalid."""
    name, _, words = text.partition("=")
    if not name or not {"IN", "OUT", "FACTOR"} <= set(words.split()):
        raise ValueError(f"'{text}' is no command: write NAME=PROGRAM IN OUT FACTOR.")

    def command(source: str, target: str, factor: float) -> list[str]:
        places = {"IN": source, "OUT": target, "FACTOR": digits(factor)}
        return [places.get(word, word) for word in words.split()]

    return Peer(name, command)


def usable(peers: list[Peer]) -> list[Peer]:
    """Returns the programs that are installed, and prints a line for each program that is not."""
    for peer in peers:
        if missing := peer.missing():
            print(f"{peer.name} is left out: {missing} is not installed.", file=sys.stderr)
    return [peer for peer in peers if not peer.missing()]
