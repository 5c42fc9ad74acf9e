# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that follow a time map, and programs that change the pitch."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from .peers import BINDINGS_PYTHON, HERE, Peer, digits, gst

# ---- changing factors

# Returns the command line (program and arguments) for an input file, an output file, the file of
# the time map, and the mean factor. Each line of a time map has a frame of the input and the
# corresponding frame of the output.

Moving = Callable[[str, str, str, float], list[str]]


def by_time_map(engine: str) -> Moving:
    return lambda source, target, times, mean: [
        "rubberband", "-q", engine, "-t", digits(mean), f"-M{times}", source, target
    ]  # fmt: skip


def by_curve(source: str, target: str, times: str, mean: float) -> list[str]:
    return ["/usr/bin/python3", str(HERE / "play_with_curve.py"), source, target, times]


MOVING: dict[str, tuple[Moving, str]] = {
    "timescale": (by_curve, "element:timescale keep-pitch=true"),
    "rubberband R3": (by_time_map("-3"), "program:rubberband"),
    "rubberband R2": (by_time_map("-2"), "program:rubberband"),
}


def write_map(path: Path, inputs: np.ndarray, outputs: np.ndarray) -> None:
    path.write_text("".join(f"{round(i)} {round(o)}\n" for i, o in zip(inputs, outputs)))


def moving(name: str, command: Moving, needs: str, inputs: np.ndarray, outputs: np.ndarray) -> Peer:
    """Returns a peer that follows a time map and ignores the factor with which it is called."""

    def words(source: str, target: str, factor: float) -> list[str]:
        times = Path(source).with_suffix(".map")
        write_map(times, inputs, outputs)
        return command(source, target, str(times), outputs[-1] / inputs[-1])

    return Peer(name, words, needs)


# ---- changes of the pitch alone: peers that are called with semitones instead of a factor


def semitone_element(description: Callable[[float], str]):
    return lambda source, target, semitones: gst(source, target, description(semitones))


def binding(name: str):
    return lambda source, target, semitones: [
        str(BINDINGS_PYTHON), str(HERE / "bindings.py"), name, source, target, "1", digits(semitones)
    ]  # fmt: skip


def rubberband(engine: str):
    return lambda source, target, semitones: ["rubberband", "-q", engine, "-p", digits(semitones), source, target]


def sox(source: str, target: str, semitones: float) -> list[str]:
    return ["sox", source, target, "pitch", digits(100 * semitones)]


TRANSPOSING = [
    Peer(
        "timescale",
        semitone_element(lambda s: f"timescale keep-pitch=true semitones={digits(s)}"),
        "element:timescale keep-pitch=true",
    ),
    Peer("rubberband R3", rubberband("-3"), "program:rubberband"),
    Peer("signalsmith", binding("signalsmith"), "module:python_stretch"),
    Peer("bungee", binding("bungee"), "module:bungee_python"),
    Peer("rubberband R2", rubberband("-2"), "program:rubberband"),
    Peer("gst pitch", semitone_element(lambda s: f"pitch pitch={digits(2 ** (s / 12))}"), "element:pitch"),
    Peer("sox pitch", sox, "program:sox"),
]
