# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Loudness of files according to ITU-R BS.1770, measured by FFmpeg."""

import subprocess
from pathlib import Path


def loudness(path: Path) -> float:
    """Returns the integrated loudness of a file in LUFS."""
    words = ["ffmpeg", "-v", "error", "-i", path, "-af", "ebur128=metadata=1,ametadata=print:key=lavfi.r128.I:file=-", "-f", "null", "-"]
    result = subprocess.run(words, check=True, capture_output=True, text=True)
    return float(result.stdout.rpartition("=")[2])


def gains(paths: list[Path]) -> list[float]:
    """Returns the gain for each file, in dB and at most 0, that makes all files as soft as the
    softest."""
    found = [loudness(path) for path in paths]
    return [round(min(found) - one, 2) + 0.0 for one in found]
