# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Reads WAV files. Unlike Python's module `wave`, it also supports floating-point samples and the
# headers of files with more than two channels.

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

INTEGER, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE


@dataclass
class Wav:
    """A WAV file. It may be hours long, so we map it into memory and only read the bytes that are
    used."""

    rate: int
    channels: int
    kind: int  # INTEGER or FLOAT
    frames: np.ndarray  # bytes, one row for each frame

    @property
    def seconds(self) -> float:
        return len(self.frames) / self.rate

    def samples(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Returns the frames from `start` to `stop` as numbers from -1 to 1, one row per frame."""
        data = np.ascontiguousarray(self.frames[start:stop])
        width = data.shape[1] // self.channels
        if self.kind == FLOAT:
            return data.view(f"<f{width}").astype(float)
        if width == 1:
            return data / 128.0 - 1
        # a sample's bytes become the upper bytes of a 32-bit integer
        wide = np.zeros((len(data), self.channels, 4), np.uint8)
        wide[:, :, 4 - width :] = data.reshape(len(data), self.channels, width)
        return wide.view("<i4")[:, :, 0] / 2.0**31


def chunks(data: np.ndarray):
    """Yields the name, start and length of each chunk in a RIFF file."""
    position = 12
    while position + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, position)
        yield name, position + 8, min(length, len(data) - position - 8)
        position += 8 + length + length % 2


def read(path: str | Path) -> Wav:
    """Maps a WAV file. If it isn't one, exits with a sentence."""
    data = np.memmap(path, np.uint8, "r")
    if bytes(data[:4]) != b"RIFF" or bytes(data[8:12]) != b"WAVE":
        raise SystemExit(f"{path}: this is not a WAV file.")
    for name, start, length in chunks(data):
        if name == b"fmt ":
            kind, channels, rate, _, frame, _ = struct.unpack_from("<HHIIHH", data, start)
            if kind == EXTENSIBLE:
                (kind,) = struct.unpack_from("<H", data, start + 24)
        elif name == b"data":
            frames = data[start : start + length - length % frame].reshape(-1, frame)
            return Wav(rate, channels, kind, frames)
    raise SystemExit(f"{path}: this WAV file has no audio.")
