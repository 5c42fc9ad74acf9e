# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests uncompressed files of more than 2 and 4 GiB, and files whose writer did not know their length.
# The large inputs are sparse: silence, and one second of other samples at the end.

import struct
import subprocess

import numpy as np
import pytest
from toolrun import MEDIA, events, mostly_long, samples, tool

RATE, FRAME = 96000, 6  # 24 bits, stereo
SECOND = np.arange(RATE * FRAME, dtype=np.uint32).astype(np.uint8).tobytes()
FORMAT = struct.pack("<HHIIHH", 1, 2, RATE, RATE * FRAME, FRAME, 24)
LIST = b"LIST" + struct.pack("<I", 4) + b"INFO"


def wave(count):
    return b"RIFF" + struct.pack("<I", 36 + count + len(LIST)) + b"WAVEfmt " + struct.pack("<I", 16) + FORMAT + b"data" + struct.pack("<I", count)


def rf64(count):
    lengths = struct.pack("<IQQQI", 28, 72 + count + len(LIST), count, count // FRAME, 0)
    return b"RF64" + b"\xff" * 4 + b"WAVEds64" + lengths + b"fmt " + struct.pack("<I", 16) + FORMAT + b"data" + b"\xff" * 4


def aiff(count):
    rate = bytes([0x40, 0x0F, 0xBB, 0x80, 0, 0, 0, 0, 0, 0])
    common = struct.pack(">HIH", 2, count // FRAME, 24) + rate
    return b"FORM" + struct.pack(">I", 46 + count) + b"AIFFCOMM" + struct.pack(">I", 18) + common + b"SSND" + struct.pack(">III", 8 + count, 0, 0)


FORMATS = [("wav", wave, 3 << 30), ("wav", rf64, 5 << 30), ("aiff", aiff, 3 << 30)]


@pytest.mark.parametrize("extension, header, size", FORMATS, ids=["WAV", "RF64", "AIFF"])
def test_all_of_a_long_file_is_read(tmp_path, extension, header, size):
    count = size // FRAME * FRAME
    path = tmp_path / f"long.{extension}"
    with path.open("wb") as file:
        file.write(header(count))
        start = file.tell()
        file.truncate(start + count)
        file.seek(start + count - len(SECOND))
        file.write(SECOND + (LIST if extension == "wav" else b""))
    known = events(tool(tmp_path, "info", "--json", path.name))[0]
    assert (known["duration"], known["sampleFormat"][:3]) == (pytest.approx(count / FRAME / RATE, abs=1e-6), "S24")
    tool(tmp_path, "reverse", path.name, "--last", "1", "-o", "last.wav")
    result = (tmp_path / "last.wav").read_bytes()
    result = result[result.index(b"data") + 8 :][: len(SECOND)]
    order = ">" if extension == "aiff" else "<"
    expected = np.frombuffer(SECOND, np.uint8).reshape(-1, 2, 3)[::-1]
    assert result == (expected[:, :, ::-1] if order == ">" else expected).tobytes()


@pytest.mark.long
def test_a_wav_of_more_than_4_gb_is_written_as_rf64(tmp_path):
    """3 GiB of 24 bits, which become 4 GiB of 32 bits."""
    count = (3 << 30) // FRAME * FRAME
    path = tmp_path / "long.wav"
    with path.open("wb") as file:
        file.write(wave(count))
        start = file.tell()
        file.truncate(start + count)
        file.seek(start + count - len(SECOND))
        file.write(SECOND + LIST)
    result = events(tool(tmp_path, "reverse", path.name, "--bits", "32", "-o", "new.wav", "--json", timeout=1200))[-1]
    frames = count // FRAME
    with (tmp_path / "new.wav").open("rb") as file:
        header = file.read(104)
        first = np.frombuffer(file.read(RATE * 8), "<i4").reshape(-1, 2)
    assert (header[:4], header[12:16], result["frames"]) == (b"RF64", b"ds64", frames)
    assert struct.unpack_from("<QQQ", header, 20) == (96 + frames * 8, frames * 8, frames)
    assert (tmp_path / "new.wav").stat().st_size == 104 + frames * 8
    expected = np.frombuffer(SECOND, np.uint8).reshape(-1, 2, 3)[::-1].astype("<i4")
    expected = (expected[:, :, 0] << 8) + (expected[:, :, 1] << 16) + (expected[:, :, 2].astype("<u4") << 24).astype("<i4")
    assert np.array_equal(first, expected)
    probed = subprocess.run(["soxi", "-s", tmp_path / "new.wav"], capture_output=True, text=True).stdout
    assert int(probed) == frames


# What a writer leaves in the header of a pipe, in 32 bits: the length of the file, and of the sound.
PIPED = [
    ("lame", 0x80000023, 0x7FFFFFFF),
    ("arecord", 0x80000024, 0x80000000),
    ("espeak", 0x7FFFF024, 0x7FFFF000),
    ("ffmpeg", 0xFFFFFFFF, 0xFFFFFFFF),
    ("nothing", 0, 0),
]


@pytest.mark.parametrize("writer, file_length, length", mostly_long(PIPED, *PIPED[:2], PIPED[4]), ids=[row[0] for row in PIPED])
def test_a_length_that_no_writer_knew_is_unknown(tmp_path, writer, file_length, length):
    sound = (MEDIA / "short.wav").read_bytes()
    start = sound.index(b"data")
    header = b"RIFF" + struct.pack("<I", file_length) + sound[8:start] + b"data" + struct.pack("<I", length)
    (tmp_path / "piped.wav").write_bytes(header + sound[start + 8 :])
    tool(tmp_path, "reverse", "piped.wav", "-o", "new.wav")
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(MEDIA / "short.wav")[::-1])


def test_aiff_that_sox_writes_into_a_pipe_is_read_to_its_end(tmp_path):
    """Its lengths are 0x7F000050 and 0x7F000008."""
    piped = subprocess.run(["sox", MEDIA / "short.wav", "-t", "aiff", "-"], check=True, capture_output=True).stdout
    assert piped[4:6] == b"\x7f\x00"
    tool(tmp_path, "reverse", "-", "-o", "new.wav", input=piped, text=False)
    assert np.array_equal(samples(tmp_path / "new.wav"), samples(MEDIA / "short.wav")[::-1])
