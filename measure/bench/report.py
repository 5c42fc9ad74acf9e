# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes results.md from the figures of the parts."""

import json
import os
import platform
import re
import subprocess
from pathlib import Path

import targets
from processes import ENVIRONMENT

TITLES = {
    "kernels": "Kernels, called in process",
    "elements": "What an element costs per buffer",
    "files": "An hour turned around, by whole programs",
    "scaling": "Twenty minutes scaled, by whole programs",
    "growth": "How cost grows with the length",
}

HOW = """Everything in a table ran in turn, several rounds, and the figures are medians,
but: peaks are the highest; rubberband, which is slow, ran once; first sounds and stock
GStreamer at rate -1 ran by themselves, the latter to nothing, as encoders take no audio from it;
and whether a result is right was seen on a minute of the same sound. First sounds of SoX
and FFmpeg include their start. All parts take 25 minutes and 15 GB."""


def table(heads: list[str], rows: list[list]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


# ---- the parts -----------------------------------------------------------------


def kernels(rows: list[list[str]]) -> str:
    return reversal([row for row in rows if row[0] == "reversal"]) + "\n" + resampling(
        [row for row in rows if row[0] == "resampling"]
    )


def reversal(rows: list[list[str]]) -> str:
    """columns: cache or memory, apart or in place, bytes of a frame, GB/s, GB/s of memcpy"""
    figures = {(size, place, int(frame)): (float(ours), float(limit)) for _, size, place, frame, ours, limit in rows}
    columns = sorted({(size, place) for size, place, _ in figures})
    heads = ["bytes of a frame", *(f"{size}, {place}" for size, place in columns)]
    body = []
    for frame in sorted({frame for _, _, frame in figures}):
        cells = [figures[size, place, frame] for size, place in columns]
        body.append([frame, *(f"{ours:.1f} ({ours / limit:.2f})" for ours, limit in cells)])
    limits = {size: limit for (size, _, _), (_, limit) in figures.items()}
    said = ", ".join(f"{limit:.1f} in {size}" for size, limit in limits.items())
    return f"Reversal, GB/s and in brackets by memcpy of the same bytes ({said}).\n\n" + table(heads, body)


def resampling(rows: list[list[str]]) -> str:
    """columns: factor, format, channels, library, ns per sample"""
    figures = {(ratio, form, int(channels), who): float(ns) for _, ratio, form, channels, who, ns in rows}
    names = list(dict.fromkeys(row[4] for row in rows))
    first = rows[0][1]
    columns = [(form, channels) for form in ("S16", "S32", "F32", "F64") for channels in (1, 2, 6, 8)]
    heads = ["", *(f"{form} {channels}" for form, channels in columns)]
    body = [[who, *(number(figures.get((first, *column, who))) for column in columns)] for who in names]
    text = f"Resampling by {first}, ns per sample of output, by format and channels.\n\n" + table(heads, body)
    ratios = list(dict.fromkeys(row[1] for row in rows))
    body = [[who, *(number(figures.get((ratio, "F32", 2, who))) for ratio in ratios)] for who in names]
    return text + "\nThe same in F32 stereo, by factor.\n\n" + table(["", *ratios], body)


def elements(rows: list[list[str]]) -> str:
    """columns: frames of a buffer, element, ns per buffer, calls of malloc"""
    figures = {(int(frames), name): (float(ns), float(calls)) for _, frames, name, ns, calls in rows}
    sizes = sorted({frames for frames, _ in figures})
    names = list(dict.fromkeys(row[2] for row in rows))
    own = figures[sizes[0], ""][1]
    body = []
    for name in names:
        cells = [f"{figures[size, name][0]:.0f} ({figures[size, name][0] / figures[size, 'identity'][0]:.2f})" for size in sizes]
        body.append([name or "(nothing between the pads)", *cells, f"{figures[sizes[1], name][1] - own:.1f}"])
    heads = ["F32 stereo", *(f"{size} frames" for size in sizes), "malloc calls per buffer of 1024"]
    return "ns per buffer, making it and dropping it included, and in brackets by `identity`.\n\n" + table(heads, body)


def files(rows: list[dict]) -> str:
    """Ratios are relative to a plain forward decode of the same file."""
    text = ""
    for form in dict.fromkeys(row["format"] for row in rows):
        group = [row for row in rows if row["format"] == form]
        forward = next(row["cost"] for row in group if row["name"].endswith("forward"))
        body = []
        for row in group:
            cost = row["cost"]
            if cost is None:
                body.append([row["name"], "refused", *["–"] * 5])
                continue
            cores = number(cost["cpu_s"] / cost["wall_s"]) if cost["cpu_s"] else "–"
            ratio = number(cost["wall_s"] / forward["wall_s"])
            first = number(row["first_s"] and row["first_s"] * 1000, 0)
            right = "yes" if row["right"] else "**no**"
            body.append([row["name"], number(cost["wall_s"]), ratio, cores, number(cost["peak_mb"], 0), first, right])
        heads = [form, "s", "by forward", "cores busy", "peak MB", "first sound, ms", "right"]
        text += table(heads, body) + "\n"
    return text


def scaling(rows: list[dict]) -> str:
    factors = list(dict.fromkeys(row["factor"] for row in rows))
    costs = {(row["factor"], row["name"]): row["cost"] for row in rows}
    body = []
    for name in dict.fromkeys(row["name"] for row in rows):
        cells = []
        for factor in factors:
            cost, other = costs[factor, name], costs[factor, "audioresample 4"]
            cells.append("–" if cost is None else f"{cost['wall_s']:.2f} ({cost['wall_s'] / other['wall_s']:.2f})")
        body.append([name, *cells])
    heads = ["F32 stereo, 48 kHz", *(f"× {factor}" for factor in factors)]
    return "s, and in brackets by `audioresample` quality 4.\n\n" + table(heads, body)


def growth(rows: list[dict]) -> str:
    lengths = sorted({row["minutes"] for row in rows})
    costs = {(row["format"], row["name"], row["minutes"]): row["cost"] for row in rows}
    body = []
    for form, name in dict.fromkeys((row["format"], row["name"]) for row in rows):
        cells = []
        for minutes in lengths:
            cost = costs[form, name, minutes]
            cells.append("–" if cost is None else f"{cost['wall_s'] / minutes * 1000:.1f} / {cost['peak_mb']:.0f}")
        body.append([form, name, *cells])
    return "ms per minute / peak MB; mono, to nothing.\n\n" + table(["", "", *(f"{length} min" for length in lengths)], body)


# ---- all of it -------------------------------------------------------------------


def output_of(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT).stdout
    except OSError:
        return ""


def code() -> str:
    """The variant of the signal processing that is used, as chosen by
    Sources/CTimeDSP/timedspcpu.c."""
    flags = Path("/proc/cpuinfo").read_text()
    builds = ["baseline", *(["avx2"] if " avx2 " in flags else [])]
    wish = os.environ.get("RETROGRADE_CPU")
    return wish if wish in builds else builds[-1]


def machine() -> str:
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    system = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text())
    words = [output_of("gst-inspect-1.0", "--gst-inspect-version"), output_of("swiftc", "--version")]
    gstreamer = re.search(r"GStreamer \S+", output_of("gst-inspect-1.0", "--version"))
    swift = re.search(r"Swift version (\S+)", " ".join(words))
    parts = [
        f"{model.group(1) if model else platform.machine()}, {os.cpu_count()} cores, code for {code()}",
        f"{memory_gb:.0f} GB",
        system.group(1) if system else platform.system(),
        gstreamer.group(0) if gstreamer else "",
        f"Swift {swift.group(1)}" if swift else "",
    ]
    return ", ".join(part for part in parts if part)


def write(source: Path, target: Path, names: list[str]) -> None:
    """Writes the report of all parts that have figures in `source` to `target`."""
    parts = {name: json.loads((source / f"{name}.json").read_text()) for name in names if (source / f"{name}.json").exists()}
    figures = {name: part["rows"] for name, part in parts.items()}
    makers = {"kernels": kernels, "elements": elements, "files": files, "scaling": scaling, "growth": growth}
    text = "# Results of `make bench`\n\n"
    text += f"{machine()}. {HOW}\n\n"
    text += "## Targets\n\n" + table(["target", "measured", ""], targets.judge(figures)) + "\n<sub>From the tables below.</sub>\n"
    for name, rows in figures.items():
        text += f"\n## {TITLES[name]}\n\n{makers[name](rows)}\n{parts[name]['of']}\n"
    (target / "results.md").write_text(re.sub(r"\n{3,}", "\n\n", text))
    print(f"{target / 'results.md'}")
