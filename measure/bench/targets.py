# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The targets, and which targets were reached. Ratios are taken within one run."""


def judge(figures: dict) -> list[list[str]]:
    """Rows of a table: the target, the figures, met or missed."""
    rows = []
    for part, judges in JUDGES.items():
        for judge_part in judges if part in figures else []:
            rows += judge_part(figures[part])
    return rows


def row(text: str, figures: dict[str, float], target: float, at_least: bool) -> list[str]:
    """Returns a row for `figures`, which are listed by subject. The target is met if there are any
    figures, and all of them reach it."""
    met = figures and all(figure >= target if at_least else figure <= target for figure in figures.values())
    shown = ", ".join(f"{name} {figure:.2f}".strip() for name, figure in figures.items())
    return [f"{text} {'≥' if at_least else '≤'} {target:g}", shown, "met" if met else "**missed**"]


# ---- kernels -------------------------------------------------------------------


def reversal(rows: list) -> list:
    figures = {tuple(line[1:3]) + (int(line[3]),): float(line[4]) / float(line[5]) for line in rows if line[0] == "reversal"}
    wanted = []
    for size, target in (("memory", 0.95), ("cache", 0.7)):
        for place in ("apart", "in place"):
            found = {f"{frame} B:": figures[size, place, frame] for frame in (2, 3, 4, 6, 8, 12, 16, 24, 32)}
            wanted.append(row(f"reversal / memcpy, {size}, {place}", found, target, True))
    return wanted


def faster(rows: list, ours: str, peers: list[str], target: float) -> list:
    """Ratios of the speeds: for the factor 10/11 in all formats, for other factors in F32
    stereo."""
    figures = {tuple(line[1:5]): float(line[5]) for line in rows if line[0] == "resampling"}
    wanted = []
    for peer in peers:
        found = {}
        for (factor, form, channels, who), theirs in figures.items():
            if who == peer:
                name = f"{form} × {channels}:" if factor == "10/11" else f"by {factor}:"
                found[name] = theirs / figures[factor, form, channels, ours]
        wanted.append(row(f"{ours.removeprefix('ours: ')} as fast as {peer}, times", found, target, True))
    return wanted


def interpolation(rows: list) -> list:
    return [
        *faster(rows, "ours: linear", ["libsamplerate: linear", "gst: linear"], 2),
        *faster(rows, "ours: cubic", ["gst: cubic"], 2),
        *faster(rows, "ours: sinc 4", ["gst: kaiser 4"], 1.5),
        *faster(rows, "ours: sinc 10", ["gst: kaiser 10"], 1.5),
        *faster(rows, "ours: sinc 6", ["soxr: HQ, variable", "libsamplerate: medium"], 1),
    ]


# ---- elements ------------------------------------------------------------------


def overhead(rows: list) -> list:
    figures = {(int(line[1]), line[2]): float(line[3]) for line in rows}
    wanted = []
    for name in ("revbuf", "timescale"):
        found = {f"{size} frames:": figures[size, name] / figures[size, "identity"] for size in (64, 1024, 16384)}
        wanted.append(row(f"{name}, nothing to do / identity", found, 1.1, False))
    return wanted


# ---- files ---------------------------------------------------------------------

SEEK, COLLECT, STOCK = "revbuf mode=seek", "revbuf mode=collect", "GStreamer, rate -1"


def ratios(rows: list, over: str, under: str, forms: tuple, figure) -> dict[str, float]:
    """Ratios by format. Formats in which one of the two programs fails are omitted."""
    found = {}
    by_name = {(line["format"], line["name"]): line for line in rows if line["cost"]}
    for form in forms:
        if (form, over) in by_name and (form, under) in by_name:
            found[f"{form}:"] = figure(by_name[form, over]) / figure(by_name[form, under])
    return found


def whole_files(rows: list) -> list:
    def wall(line):
        return line["cost"]["wall_s"]

    def first(line):
        return line["first_s"]

    every = ("WAV", "FLAC", "MP3", "Ogg Vorbis")
    forward = "GStreamer, forward"
    right = {f"{line['format']}, {line['name'].split('=')[1]}:": float(line["right"]) for line in rows if line["name"] in (SEEK, COLLECT)}
    peaks = {f"{line['format']}:": line["cost"]["peak_mb"] for line in rows if line["name"] == SEEK}
    return [
        row("ours is the mirror of the forward decode, frame by frame", right, 1, True),
        row("seek / forward decode", ratios(rows, SEEK, forward, every[:3], wall), 1.15, False),
        row("seek / forward decode", ratios(rows, SEEK, forward, every[3:], wall), 1.3, False),
        row("collect / forward decode", ratios(rows, COLLECT, forward, every, wall), 1.25, False),
        row("SoX reverse / seek", ratios(rows, "SoX reverse", SEEK, every[:1], wall), 2, True),
        row("FFmpeg areverse / seek", ratios(rows, "FFmpeg areverse", SEEK, every[:1], wall), 1.2, True),
        row("first sound, stock / seek", ratios(rows, STOCK, SEEK, ("FLAC", "FLAC, seek table", "MP3"), first), 20, True),
        row("peak of seek, MB", peaks, 45, False),
    ]


def flat(rows: list) -> list:
    """Compares ten hours with one hour, and one hour with ten minutes. One minute is not compared,
    because the start would dominate it."""
    lengths = sorted({line["minutes"] for line in rows})[1:]
    by_key = {(line["format"], line["name"], line["minutes"]): line["cost"] for line in rows}
    wanted = []
    for short, long in zip(lengths, lengths[1:]):
        for figure, text in (("wall_s", "time per minute"), ("peak_mb", "memory")):
            by_length = short / long if figure == "wall_s" else 1
            found = {}
            for form in ("WAV", "MP3"):
                for name in (SEEK, COLLECT, "timescale factor=1.1"):
                    ratio = by_key[form, name, long][figure] / by_key[form, name, short][figure]
                    found[f"{form} {name}:"] = ratio * by_length
            wanted.append(row(f"{text}, {long} / {short} min", found, 1.2, False))
    return wanted


JUDGES = {
    "kernels": [reversal, interpolation],
    "elements": [overhead],
    "files": [whole_files],
    "growth": [flat],
}
