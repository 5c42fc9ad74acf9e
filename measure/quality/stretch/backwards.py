# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes a file forwards and backwards, with stock GStreamer and with Retrograde."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from .audio import read_wav
from .peers import ENVIRONMENT

HERE = Path(__file__).resolve().parent


def launched(file: Path, element: str) -> np.ndarray:
    read = f"gst-launch-1.0 -q filesrc location={file} ! decodebin ! audioconvert"
    return written(lambda target: f"{read} ! {element} ! audioconvert ! audio/x-raw,format=F32LE ! wavenc ! filesink location={target}")


def decoded_forwards(file: Path) -> np.ndarray:
    return launched(file, "identity")


def ours_backwards(file: Path) -> np.ndarray:
    return launched(file, "revbuf direction=reverse")


def stock_backwards(file: Path) -> np.ndarray:
    """Returns the samples that a filter or an encoder receives from stock GStreamer at rate −1: the
    last block first, but each block in forward order."""
    return written(lambda target: f"/usr/bin/python3 {HERE}/play_backwards.py {file} {target}")


def written(command) -> np.ndarray:
    with tempfile.TemporaryDirectory(prefix="backwards") as folder:
        target = Path(folder, "out.wav")
        result = subprocess.run(command(target).split(), env=ENVIRONMENT, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(result.stdout + result.stderr)
        return read_wav(target)
