# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws bar charts of the results of Retrograde and of other programs."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

OURS, THEIRS = "#1f6f8b", "#b9b9b9"


def bars(axis, title: str, values: dict[str, float]) -> None:
    names = list(values)[::-1]
    colours = [OURS if name.startswith(("ours", "revbuf", "timescale")) else THEIRS for name in names]
    axis.barh(names, [values[name] for name in names], color=colours)
    axis.set_title(title, fontsize=10)
    axis.tick_params(labelsize=8)


def panels(figures: dict) -> list[tuple[str, dict[str, float]]]:
    found = []
    kernels = figures.get("kernels", [])
    place = ["cache", "apart"]
    speeds = {f"ours, {line[3]} B": float(line[4]) for line in kernels if line[1:3] == place}
    if speeds:
        limit = next(float(line[5]) for line in kernels if line[1:3] == place)
        found.append(("reversal in cache, GB/s", {"memcpy": limit, **speeds}))
        who = {line[4]: float(line[5]) for line in kernels if line[0] == "resampling" and line[1:4] == ["10/11", "F32", "2"]}
        short = {name: ns for name, ns in who.items() if ns < 35}
        found.append(("ns per sample, F32 stereo × 10/11", short))
    for form in ("WAV", "FLAC", "MP3", "Ogg Vorbis", "Opus"):
        lines = [line for line in figures.get("files", []) if line["format"] == form and line["cost"]]
        costs = {line["name"] + ("" if line["right"] else " (wrong)"): line["cost"]["wall_s"] for line in lines}
        if costs:
            found.append((f"an hour of {form} turned around, s", costs))
    costs = {line["name"]: line["cost"]["wall_s"] for line in figures.get("scaling", []) if line["factor"] == "11/10" and line["cost"]}
    if costs:
        found.append(("20 min × 1.1, s", {name: value for name, value in costs.items() if name != "rubberband"}))
    sizes = {line[2] or "(nothing)": float(line[3]) for line in figures.get("elements", []) if line[1] == "1024" and "factor" not in line[2]}
    if sizes:
        found.append(("ns per buffer of 1024 frames", sizes))
    return found


def draw(figures: dict, target: Path) -> None:
    every = panels(figures)
    if not every:
        return
    rows = (len(every) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(13, 3.2 * rows), squeeze=False)
    for axis in axes.flat[len(every) :]:
        axis.axis("off")
    for (title, values), axis in zip(every, axes.flat):
        bars(axis, title, values)
    figure.tight_layout()
    figure.savefig(target, dpi=80)
