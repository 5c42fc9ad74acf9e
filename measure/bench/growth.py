# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures how time and memory grow with the length of the stream."""

import json
from dataclasses import asdict

from inputs import formats, sound_file
from processes import interleaved

FILTERS = {
    "forward": "",
    "revbuf mode=seek": "revbuf direction=reverse mode=seek ! ",
    "revbuf mode=collect": "revbuf direction=reverse mode=collect ! ",
    "timescale factor=1.1": "timescale factor=1.1 ! ",
}


def measure(lengths: list[int], rounds: int) -> list[dict]:
    """Uses mono, because ten hours of stereo do not fit into a WAV file."""
    rows = []
    for form in ("WAV", "MP3"):
        for minutes in lengths:
            source = sound_file(form, minutes, channels=1)
            begin = f"gst-launch-1.0 -q filesrc location={source} ! {formats()[form].chain} ! "
            every = {name: (begin + words + "fakesink sync=false").split() for name, words in FILTERS.items()}
            for name, cost in interleaved(every, rounds).items():
                rows.append({"format": form, "minutes": minutes, "name": name, "cost": cost and asdict(cost)})
                print(json.dumps(rows[-1]), flush=True)
    return rows
