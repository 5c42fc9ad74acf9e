# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Creates damaged sound files as tuples (kind, name, bytes), the same in every run."""

import random
import struct
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEDIA = ROOT / "launch-examples/media"

AAC = "aacparse ! avdec_aac"
CHAINS = {
    ".wav": "wavparse",
    ".aiff": "aiffparse",
    ".flac": "flacparse ! flacdec",
    ".mp3": "mpegaudioparse ! mpg123audiodec",
    ".ogg": "oggdemux ! vorbisdec",
    ".opus": "oggdemux ! opusparse ! opusdec",
    ".m4a": f"qtdemux ! {AAC}",
    ".aac": AAC,
    ".mka": "matroskademux ! flacparse ! flacdec",
    ".wv": "wavpackparse ! wavpackdec",
    ".raw": "rawaudioparse pcm-format=f32le sample-rate=8000 num-channels=64",
}

# Files that FFmpeg creates, in addition to the samples of the repository: name → options.
SINE = "-f lavfi -i aevalsrc=0.4*sin(2*PI*(200+300*t)*t)"
MADE = {
    "1khz.wav": f"{SINE}:s=1000:d=4 -c:a pcm_s16le",
    "192khz.wav": f"{SINE}:s=192000:d=1 -c:a pcm_s24le",
    "192khz.flac": f"{SINE}:s=192000:d=1 -c:a flac",
    "64ch.raw": "-f lavfi -i " + "aevalsrc=" + "|".join(f"0.3*sin({n + 1}*500*t)" for n in range(64)) + ":s=8000:d=1 -c:a pcm_f32le -f f32le",
    "adts.aac": f"{SINE}:s=44100:d=3 -ac 2 -c:a aac -aac_pns 0",
    "matroska.mka": f"{SINE}:s=44100:d=3 -c:a flac",
    "wavpack.wv": f"{SINE}:s=44100:d=3 -c:a wavpack",
    "other-rate.mp3": f"{SINE}:s=22050:d=2 -ac 1 -c:a libmp3lame -write_xing 0 -id3v2_version 0",
    "plain.mp3": f"{SINE}:s=44100:d=2 -ac 2 -c:a libmp3lame -write_xing 0 -id3v2_version 0",
    "other-rate.aac": f"{SINE}:s=22050:d=2 -ac 1 -c:a aac -aac_pns 0",
    "chained.ogg": f"{SINE}:s=44100:d=2 -ac 2 -c:a libvorbis -serial_offset 77",
    "other-chained.ogg": f"{SINE}:s=22050:d=2 -ac 1 -c:a libvorbis -serial_offset 99",
    "float.wav": f"{SINE}:s=44100:d=1 -c:a pcm_f32le",
}
PARTS = ("other-rate.mp3", "plain.mp3", "other-rate.aac", "chained.ogg", "other-chained.ogg")


def files(folder: Path) -> list[Path]:
    """Returns the paths of the files to damage: the samples of the repository, and files in
    `folder`, which FFmpeg creates if they do not exist yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, options in MADE.items():
        path = folder / name
        if not path.exists():
            part = path.with_name("part-" + name)
            subprocess.run(["ffmpeg", "-v", "error", "-y", *options.split(), "-bitexact", part], check=True)
            part.rename(path)
    samples = [path for path in MEDIA.iterdir() if path.suffix in CHAINS]
    return sorted(samples) + [folder / name for name in MADE if name not in PARTS]


# ---- kinds of damage ----


def whole(path, data):
    yield "as it is", data


def truncations(path, data, places=50):
    """Yields the beginning of the file with `places` different lengths, from nothing to nearly
    everything."""
    for n in range(places):
        yield f"{n}/{places} of it", data[: len(data) * n // places]


def flipped(data, seed, first, end, bits):
    damaged, rng = bytearray(data), random.Random(seed)
    for _ in range(bits):
        damaged[rng.randrange(first, end)] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def bit_flips(path, data, seeds=10):
    """Yields copies in which 3 bits, one bit in 2000 bytes, or 2 bits of the first 256 bytes are
    flipped."""
    for seed in range(seeds):
        yield f"3 bits, {seed}", flipped(data, seed, 0, len(data), 3)
        yield f"1 bit in 2000 bytes, {seed}", flipped(data, seed, 0, len(data), max(len(data) // 2000, 1))
        yield f"2 bits of the head, {seed}", flipped(data, seed, 0, min(len(data), 256), 2)


def with_number(data, at, form, value):
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form) :]


def places_of(data, mark):
    at = data.find(mark)
    while at >= 0:
        yield at
        at = data.find(mark, at + 1)


def duration_fields(path, data):
    """Yields the offset of each field that declares a duration, and its format for struct."""
    kind = path.suffix
    if kind == ".wav":
        yield data.find(b"data") + 4, "<I"
        yield 4, "<I"
    elif kind == ".aiff":
        yield data.find(b"COMM") + 10, ">I"  # number of frames
        yield data.find(b"SSND") + 4, ">I"
    elif kind == ".flac":
        yield 22, ">I"  # the lower 32 bits of the number of frames
    elif kind == ".mp3":
        header = max(data.find(b"Xing"), data.find(b"Info"))
        if header > 0:
            yield header + 8, ">I"  # number of packets
    elif kind in (".ogg", ".opus"):
        yield data.rfind(b"OggS") + 6, "<Q"  # granule position of the last page
    elif kind == ".m4a":
        yield data.find(b"mvhd") + 20, ">I"
        yield data.find(b"mdhd") + 20, ">I"
        yield data.find(b"tkhd") + 24, ">I"
    elif kind == ".mka":
        at = data.find(b"\x44\x89\x88")  # Duration, a double
        if at > 0:
            yield at + 3, ">d"
    elif kind == ".wv":
        yield 12, "<I"  # frames


def lying_durations(path, data):
    for number, (at, form) in enumerate(duration_fields(path, data)):
        (told,) = struct.unpack_from(form, data, at)
        most = 1e15 if form == ">d" else 2 ** (8 * struct.calcsize(form)) - 1
        for word, value in ("half", told / 2), ("ten times", told * 10), ("nothing", 0), ("most", most):
            value = value if form == ">d" else min(int(value), most)
            yield f"field {number}: {word}", with_number(data, at, form, value)


def lying_rates(path, data):
    """Yields copies with wrong sample rates. In a WAV file, the rate in the header is changed; in
    other types, the rates of all packets after the middle, or of every tenth packet."""
    kind, marks = path.suffix, {".mp3": b"\xff\xfb", ".aac": b"\xff\xf1", ".flac": b"\xff\xf8"}
    if kind == ".wav":
        at = data.find(b"fmt ") + 12
        for rate in 0, 1, 10**7, 2**31 - 1, 2**32 - 1:
            yield f"rate {rate}", with_number(data, at, "<I", rate)
    if kind not in marks:
        return
    for word, chosen in ("from the middle on", lambda at, n: at > len(data) // 2), ("each tenth", lambda at, n: n % 10 == 9):
        damaged = bytearray(data)
        for number, at in enumerate(places_of(data, marks[kind])):
            if at > 64 and chosen(at, number):
                damaged[at + 2] ^= 0x04  # a bit of the sample rate in MP3, ADTS and FLAC
        yield word, bytes(damaged)


def other_caps(path, data):
    """Yields files in which the sample rate and the number of channels change. In some of the
    files, they later change back."""
    other = path.with_name("other-rate" + path.suffix)
    if path.name == "adts.aac":
        parts = data, other.read_bytes(), data
    elif path.name == "1khz.wav":  # yields MP3 files, made of parts that files() leaves out
        folder = path.parent
        parts = [(folder / name).read_bytes() for name in ("plain.mp3", "other-rate.mp3", "plain.mp3")]
    else:
        return
    yield "once", parts[0] + parts[1]
    yield "there and back", b"".join(parts)
    yield "there and back, cut in packets", parts[0][:-100] + parts[1][77:-33] + parts[2]


def chains(path, data):
    """Yields Ogg files with several streams in succession."""
    if path.name != "sample.ogg":
        return
    folder = ROOT / "build/damaged"
    other, rate = [(folder / name).read_bytes() for name in ("chained.ogg", "other-chained.ogg")]
    yield "of one format", data + other
    yield "of two rates", data + rate
    # The streams have different serial numbers, because otherwise oggdemux plays a random part of
    # the second stream, and there is no reference to compare with.
    yield "three, the last one cut", other + rate + data[: len(data) // 2]


KINDS = {
    "whole": whole,
    "truncated": truncations,
    "bits flipped": bit_flips,
    "lying duration": lying_durations,
    "lying rate": lying_rates,
    "caps change": other_caps,
    "chain": chains,
}


def chain_of(path, kind):
    """Returns the elements that decode the file to 32-bit floats. A raw file has 64 channels, with
    which GStreamer 1.22's audioconvert crashes."""
    if path.suffix == ".raw":
        return CHAINS[".raw"]
    audio = "audio/x-raw,format=F32LE,layout=interleaved"
    if kind == "chain":
        return f"decodebin name=demuxer audioconvert name=next dithering=none ! {audio}"
    like = ".mp3" if kind == "caps change" and path.suffix == ".wav" else path.suffix
    return f"{CHAINS[like]} ! audioconvert dithering=none ! {audio}"


def damages(path, data):
    for kind, make in KINDS.items():
        for name, damaged in make(path, data):
            yield kind, name, damaged
