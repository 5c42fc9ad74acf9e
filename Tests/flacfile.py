# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writes FLAC files that encoders seldom write: blocks of different sizes, and blocks of another rate
# or number of channels (RFC 9639). Samples of 16 bits are stored as they are.

import struct

import numpy as np

RATES = {24000: 7, 32000: 8, 44100: 9, 48000: 10}


def checksum(content: bytes, polynomial: int, bits: int) -> int:
    value = 0
    for byte in content:
        value ^= byte << bits - 8
        for _ in range(8):
            value = (value << 1) ^ (polynomial if value >> bits - 1 else 0)
    return value & (1 << bits) - 1


def block(frames: np.ndarray, rate: int, first: int) -> bytes:
    """One block of a stream with a variable block size; `first` is the number of its first frame."""
    size, channels = frames.shape
    number = chr(first).encode("utf-8", "surrogatepass")
    head = bytes([0xFF, 0xF9, 0x70 | RATES[rate], channels - 1 << 4 | 8]) + number + struct.pack(">H", size - 1)
    head += bytes([checksum(head, 0x107, 8)])
    content = head + b"".join(b"\x02" + frames[:, channel].astype(">i2").tobytes() for channel in range(channels))
    return content + struct.pack(">H", checksum(content, 0x18005, 16))


def flac(parts: list[tuple[np.ndarray, int]], total: int = 0, most_bytes: int = 0) -> bytes:
    """A file of blocks, each with its rate; `total` is the declared number of frames, and
    `most_bytes` the declared size of the largest block: 0 if unknown."""
    frames, rate = parts[0]
    sizes = [len(frames) for frames, _ in parts]
    numbers = rate << 44 | frames.shape[1] - 1 << 41 | 15 << 36 | total
    information = struct.pack(">HH3xHB", min(sizes), max(sizes), most_bytes >> 8, most_bytes & 0xFF) + struct.pack(">Q", numbers) + bytes(16)
    content, first = b"fLaC" + bytes([0x80, 0, 0, 34]) + information, 0
    for frames, rate in parts:
        content += block(frames, rate, first)
        first += len(frames)
    return content
