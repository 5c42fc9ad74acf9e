# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The loudness of files, as ITU-R BS.1770 defines it, by FFmpeg."""

import subprocess
from pathlib import Path


def loudness(path: Path) -> float:
    """LUFS of all of a file that FFmpeg decodes."""
    words = ["ffmpeg", "-v", "error", "-i", path, "-af", "ebur128=metadata=1,ametadata=print:key=lavfi.r128.I:file=-", "-f", "null", "-"]
    result = subprocess.run(words, check=True, capture_output=True, text=True)
    return float(result.stdout.rpartition("=")[2])


def gains(paths: list[Path]) -> list[float]:
    """dB by which each is to be softened, so that all are as loud as the softest."""
    found = [loudness(path) for path in paths]
    return [round(min(found) - one, 2) + 0.0 for one in found]
