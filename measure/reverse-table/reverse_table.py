#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures reverse playback for every combination of format and decoder, and prints a table in
Markdown.

Usage: reverse_table.py [--long | --page] [--seconds=60] [--only=WORD] [--folder=build/reverse-table]

Each measurement runs in a process of its own (reverse_run.py). Mismatches are frames that differ
from the reversed forward decode, after the best alignment of the two. "First sound" is the time
until revbuf outputs its first buffer, both from the start of a pipeline in NULL and from a seek
with rate -1 in a pipeline that waits in PAUSED. --long measures a few formats with 1, 30, 60 and
180 minutes, and compares digests of whole blocks. --page writes the table of docs/formats.md,
which has the mismatches but no times. """

import argparse
import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from reverse_inputs import FORMATS, make_file
from reverse_run import run

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "measure/quality"))
from stretch import provenance  # noqa: E402

LONG_MINUTES = (1, 30, 60, 180)
LONG_NAMES = ("WAV", "FLAC", "MP3 VBR", "Vorbis in Ogg")
STOCK_MOST_MINUTES = 60  # stock GStreamer keeps all of MP3 and FLAC in memory
DIGEST_FRAMES = 4096
NEEDLE_FRAMES = 256
NUMBER = re.compile(r"\d[\d.e+]*")
S16_STEPS = {"S16LE": ("<i2", 1), "S16BE": (">i2", 1), "S32LE": ("<i4", 1 / 65536), "F32LE": ("<f4", 32768)}

HEADS = [
    "format", "decoder", "ch", "frames", "mismatches", "seams equal / aligned / faded", "prerolls widened",
    "first sound, from NULL / PAUSED (ms)", "total (s)", "forward (s)", "peak (MB)",
]  # fmt: skip
STOCK_HEADS = ["stock: frames", "mismatches", "first sound (ms)", "total (s)", "peak (MB)"]
FOOTNOTE = """
¹ Two decodes of the same audio may differ: the decoder adds noise or dither, or rounds differently after a seek.

² After a seek, this demuxer stops at the duration in the file, although the last packet may last longer.

³ The timestamps are off by some frames. `revbuf` corrects that by comparing the sound. In digital silence it can't,
and some frames of silence may be missing or repeated."""


# ---- the output -----------------------------------------------------------------


def hear(consume, how, path, chain):
    """Runs reverse_run.py once. Returns its report, and the result of `consume`, which is called
    with a file from which it reads the frames."""
    reader, writer = os.pipe()
    with ThreadPoolExecutor(1) as pool, open(reader, "rb") as frames:
        consumed = pool.submit(consume, frames)
        report = run(how, path, chain, frames_fd=writer)
        os.close(writer)
        return report, consumed.result()


def read_frames(file, frame_bytes):
    data = file.read()
    return np.frombuffer(data, np.uint8).reshape(-1, frame_bytes)


def read_digests(file, frame_bytes, first_frames=DIGEST_FRAMES, step=1):
    """Returns (number of frames, digests of all blocks). step=-1 reverses each block.

    first_frames: length of the first block, which makes the blocks of both directions match.
    """
    digests, n_frames, wanted = [], 0, first_frames or DIGEST_FRAMES
    while block := file.read(wanted * frame_bytes):
        frames = np.frombuffer(block, np.uint8).reshape(-1, frame_bytes)[::step]
        digests.append(hashlib.blake2b(np.ascontiguousarray(frames), digest_size=16).digest())
        n_frames, wanted = n_frames + len(frames), DIGEST_FRAMES
    return n_frames, digests


# ---- comparing --------------------------------------------------------------


def overlap(ours, truth, shift):
    """Returns the overlapping frames of both if frame n of ours is frame n + shift of the truth."""
    n = min(len(ours) + min(shift, 0), len(truth) - max(shift, 0))
    return ours[max(-shift, 0) :][:n], truth[max(shift, 0) :][:n]


def shifts(ours, truth):
    """Returns the shifts to try for the best alignment: equal starts, equal ends, and shifts with
    which a few frames of ours are found in the truth."""
    found = {0, len(truth) - len(ours)}
    whole, frame_bytes = truth.tobytes(), truth.shape[1]
    for part in range(1, 4):
        place = len(ours) * part // 4
        needle = ours[place : place + NEEDLE_FRAMES]
        at = whole.find(needle.tobytes())
        if len(np.unique(needle)) > 16 and at >= 0 and at % frame_bytes == 0:
            found.add(at // frame_bytes - place)
    return found


def differing(ours, truth):
    """Returns (number of differing frames, ours, truth) for the best alignment."""
    pairs = [overlap(ours, truth, shift) for shift in sorted(shifts(ours, truth))]
    counts = [int((a != b).any(axis=1).sum()) for a, b in pairs]
    best = counts.index(min(counts))
    return counts[best], *pairs[best]


def describe_difference(ours, truth, sample_format):
    count, a, b = differing(ours, truth)
    lost = len(truth) - len(ours)
    text = str(count)
    kind, steps = S16_STEPS.get(sample_format, (None, None))
    if count and kind:
        largest = np.abs(a.copy().view(kind).astype(float) - b.copy().view(kind)).max() * steps
        text += f" (by ≤ {largest:.2g} steps of S16)"
    return text + (f", {abs(lost)} {'missing' if lost > 0 else 'too many'}" if lost else "")


def compare_frames(how, path, chain, forward):
    """Returns (report, number of frames, mismatches in words) for each way of playing in `how`.
    `forward`: the report of a forward run."""
    frame_bytes = forward["frame_bytes"]
    _, truth = hear(lambda file: read_frames(file, frame_bytes), "forward", path, chain)

    def compare(one):
        report, heard = hear(lambda file: read_frames(file, frame_bytes), one, path, chain)
        return report, len(heard), describe_difference(heard[::-1], truth, forward["format"])

    return [compare(one) for one in how]


def compare_digests(how, path, chain, forward):
    frame_bytes = forward["frame_bytes"]
    _, (n_frames, truth) = hear(lambda file: read_digests(file, frame_bytes), "forward", path, chain)

    def compare(one):
        begin = n_frames % DIGEST_FRAMES
        report, (heard, digests) = hear(
            lambda file: read_digests(file, frame_bytes, begin, -1), one, path, chain
        )
        wrong = sum(a != b for a, b in zip(digests[::-1], truth))
        text = f"{wrong} of {len(truth)} blocks of {DIGEST_FRAMES}" if wrong else "0"
        return report, heard, text if heard == n_frames else f"{text}, {n_frames} expected"

    return [compare(one) for one in how]


# ---- the table --------------------------------------------------------------


def number(value, digits):
    return "–" if value is None else f"{value:.{digits}f}"


def first_sounds(from_null, from_paused):
    return f"{number(from_null['first_ms'], 0)} / {number(from_paused['first_ms'], 0)}"


def decoder_of(form):
    parts = form.chain.split(" ! ")
    names = [part for part in parts if not part.endswith(("demux", "parse")) and "/" not in part]
    return names[-1] if names else "none"


def mark_of(form, channels):
    return " ³" if form.off else " ²" if form.cut else "" if form.is_exact(channels) else " ¹"


def our_columns(path, chain, forward, compared):
    from_null, from_paused = run("revbuf", path, chain), run("seeked", path, chain, wait=True)
    report, frames, mismatches = compared
    stats = report["stats"]
    error = report["error"] or from_null["error"] or from_paused["error"]
    seams = " / ".join(str(stats.get(f"seams-{end}", "–")) for end in ("verified", "aligned", "crossfaded"))
    return [
        str(frames), error or mismatches, seams, str(stats.get("prerolls-widened", "–")),
        first_sounds(from_null, from_paused), number(from_null["total_s"], 2),
        number(forward["total_s"], 2), number(from_null["peak_mb"], 0),
    ]  # fmt: skip


def stock_columns(path, chain, compared):
    report, frames, mismatches = compared
    if report["error"] == "seek refused" or not frames:
        return ["–", report["error"] or "nothing is heard", "–", "–", "–"]
    from_null, from_paused = (run("stock", path, chain, wait=wait) for wait in (False, True))
    error = f"{report['error']}: " if report["error"] else ""
    return [
        str(frames), error + mismatches, first_sounds(from_null, from_paused),
        number(from_null["total_s"], 2), number(from_null["peak_mb"], 0),
    ]  # fmt: skip


def row(folder, form, channels, seconds, compare, stock=True):
    path = make_file(folder, form, channels, seconds)
    forward = run("forward", path, form.chain)
    title = [form.name + mark_of(form, channels), decoder_of(form), str(channels)]
    if forward["error"]:
        return title + ["–", f"does not play forward: {forward['error']}"]
    ours, *theirs = compare(["revbuf", "stock"] if stock else ["revbuf"], path, form.chain, forward)
    cells = title + our_columns(path, form.chain, forward, ours)
    return cells + (stock_columns(path, form.chain, theirs[0]) if stock else ["not tried"])


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def print_heads(*first):
    heads = [*first, *HEADS, *STOCK_HEADS]
    print_row(heads)
    print_row(["---"] * len(heads))


def print_table(folder, seconds, only):
    print_heads()
    for form in FORMATS:
        for channels in form.channels:
            if only in f"{form.name} {decoder_of(form)}":
                print_row(row(folder, form, channels, seconds, compare_frames))
    print(FOOTNOTE)


def print_long_table(folder, only):
    print_heads("minutes")
    for minutes in LONG_MINUTES:
        for form in FORMATS:
            if form.name in LONG_NAMES and form.repeats and only in form.name:
                stock = minutes <= STOCK_MOST_MINUTES
                print_row([str(minutes), *row(folder, form, 2, minutes * 60, compare_digests, stock)])


PAGE_HEADS = ["format", "decoder", "channels", "frames that differ", "seams equal / aligned / faded"]


def page_row(folder, form, channels, seconds):
    path = make_file(folder, form, channels, seconds)
    (forward, truth), (report, ours) = (hear(lambda file: file.read(), how, path, form.chain) for how in ("forward", "revbuf"))
    title = [form.name + mark_of(form, channels), decoder_of(form), str(channels)]
    error = forward["error"] or report["error"]
    if error:
        return [*title, error, "–"]
    truth, ours = (np.frombuffer(data, np.uint8).reshape(-1, forward["frame_bytes"]) for data in (truth, ours))
    mismatches = describe_difference(ours[::-1], truth, forward["format"])
    seams = " / ".join(str(report["stats"][f"seams-{end}"]) for end in ("verified", "aligned", "crossfaded"))
    return [*title, mismatches, seams]


def together(texts):
    """Joins texts that only differ in their numbers: "1 to 15 (by ≤ 1 steps of S16)". After a ≤, it's the largest."""
    columns = list(zip(*(re.findall(NUMBER, text) for text in texts)))
    ranges = [sorted(set(column), key=float) for column in columns]
    parts = re.split(NUMBER, texts[0])
    numbers = [found[-1] if part.endswith("≤ ") else " to ".join({found[0]: 0, found[-1]: 0}) for part, found in zip(parts, ranges)]
    return "".join(part + number for part, number in zip(parts, [*numbers, ""]))


def merged(rows):
    """Returns the rows, with one row for channels that make no difference, and then one for formats and decoders that
    don't either."""
    by_format = {}
    for name, decoder, channels, differ, seams in rows:
        by_format.setdefault((name, decoder, differ, seams), {})[channels] = True
    found = {}
    for (name, decoder, differ, seams), counts in by_format.items():
        mark = name.removeprefix(name.rstrip(" ¹²³"))
        key = (mark, ", ".join(sorted(counts)), re.sub(NUMBER, "", differ), seams)
        names, decoders, texts = found.setdefault(key, ({}, {}, []))
        names[name.removesuffix(mark)] = decoders[decoder] = True
        texts.append(differ)
    return [
        ["; ".join(names) + mark, ", ".join(decoders), counts, together(texts), seams]
        for (mark, counts, _, seams), (names, decoders, texts) in found.items()
    ]


def page_text(rows, seconds):
    lines = [PAGE_HEADS, ["---"] * len(PAGE_HEADS), *merged(rows)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"We compared {seconds:g} seconds of each format with a forward decode:\n\n{table}\n{FOOTNOTE}\n"


def write_page(folder, seconds, only):
    rows = [page_row(folder, form, channels, seconds) for form in FORMATS for channels in form.channels if only in f"{form.name} {decoder_of(form)}"]
    provenance.put(ROOT / "docs/formats.md", "## Played backwards", page_text(rows, seconds) + "\n" + provenance.line("make formats-page"))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--long", action="store_true")
    options.add_argument("--page", action="store_true")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--only", default="", help="rows whose format or decoder holds this word")
    options.add_argument("--folder", type=Path, default=ROOT / "build/reverse-table", help="keeps the files that are played")
    given = options.parse_args()
    if given.long:
        print_long_table(given.folder, given.only)
    elif given.page:
        write_page(given.folder, given.seconds, given.only)
    else:
        print_table(given.folder, given.seconds, given.only)


if __name__ == "__main__":
    sys.exit(main())
