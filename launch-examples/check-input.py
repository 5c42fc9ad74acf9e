#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: check-input.py FILE
#
# Prints the URI of a file if GStreamer can decode its audio to the end. Otherwise, prints a
# sentence to standard error that says why not, and exits with status 1.
#
# We need this check because a pipeline doesn't notice that a file was cut off, for example in a
# download. It just reverses whatever is there, and succeeds.

import mmap
import os
import sys
from pathlib import Path

# If GST_TRACERS is set, it is meant for the pipelines of the examples.
os.environ.pop("GST_TRACERS", None)

import gi  # noqa: E402

gi.require_version("Gst", "1.0")
gi.require_version("GstPbutils", "1.0")
from gi.repository import GLib, Gst, GstPbutils  # noqa: E402


class Unusable(Exception):
    """Why we can't use a file, as a sentence for the user without the file's name."""


def check_file(path: Path) -> None:
    if not path.exists():
        raise Unusable("there is no such file.")
    if path.is_dir():
        raise Unusable("this is a folder, not an audio file.")
    if not path.is_file():
        raise Unusable("this is not an ordinary file.")
    if not os.access(path, os.R_OK):
        raise Unusable("you are not allowed to read this file.")
    if path.stat().st_size == 0:
        raise Unusable("the file is empty.")


def check_bytes(path: Path) -> None:
    """Raises Unusable if the bytes at the start or the end show that the file is cut off. This
    cannot be seen in an MP3 without a Xing header."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if declared_bytes(data) > len(data) + 1:  # some AIFF and WAV writers omit the pad byte
            raise Unusable(f"the file is cut off: it should have {declared_bytes(data)} bytes, but has {len(data)}.")
        if data[:4] == b"OggS" and lacks_ogg_end(data):
            raise Unusable("the file is cut off: its last Ogg page is missing.")


def declared_bytes(data: mmap.mmap) -> int:
    """Returns the length in bytes that the file declares, or 0 if it doesn't."""
    if data[:4] in (b"RIFF", b"FORM"):
        size = int.from_bytes(data[4:8], "little" if data[:4] == b"RIFF" else "big")
        # a WAV that was written to a pipe doesn't declare its length
        return 0 if size >= 0xFFFFFFF0 else 8 + size
    return boxes_bytes(data) if data[4:8] == b"ftyp" else xing_bytes(data)


def boxes_bytes(data: mmap.mmap) -> int:
    """Returns the end of the last box of an MP4, in bytes. Each box begins with its length."""
    end = 0
    while end + 16 <= len(data):
        size = int.from_bytes(data[end : end + 4], "big")
        if size == 1:  # a box with a 64-bit length
            size = int.from_bytes(data[end + 8 : end + 16], "big")
        if size < 8:  # the box extends to the end of the file
            break
        end += size
    return end


def xing_bytes(data: mmap.mmap) -> int:
    """Returns the end of an MP3 in bytes, according to the Xing header in its first frame; 0 if
    there is no such header."""
    start = 0
    # skip an ID3 tag, which has its length in four bytes of seven bits each
    if data[:3] == b"ID3":
        start = 10 + sum(byte << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0)))
    frame = data[start : start + 64]
    header = max(frame.find(b"Xing"), frame.find(b"Info"))
    if len(frame) < 64 or frame[0] != 0xFF or header < 0 or not frame[header + 7] & 2:
        return 0
    field = header + (12 if frame[header + 7] & 1 else 8)
    return start + int.from_bytes(frame[field : field + 4], "big")


def lacks_ogg_end(data: mmap.mmap) -> bool:
    """Whether the last Ogg page in the file is incomplete, or is not marked as the end of the
    stream."""
    page = data.rfind(b"OggS")
    header = data[page : page + 27 + 255]
    if len(header) < 27 or not header[5] & 4:
        return True
    segments = header[27 : 27 + header[26]]
    return page + 27 + header[26] + sum(segments) > len(data)


def check_audio(path: Path) -> None:
    with open(path, "rb") as file:
        kind = file.read(4)
    if kind == b"FORM":  # AIFF is excluded, because the discoverer sometimes hangs on AIFF (GStreamer 1.22)
        if parsed_seconds(path, "aiffparse") == 0:
            raise Unusable("GStreamer finds no audio in it.")
        return
    declared = declared_seconds(path)
    if kind in (b"fLaC", b"\x1a\x45\xdf\xa3"):  # FLAC and Matroska don't declare a length in bytes
        found = parsed_seconds(path, "parsebin")
        if found < 0.98 * declared - 0.1:
            raise Unusable(f"the file is cut off: it should have {declared:.1f} s, but has {found:.1f} s.")


def declared_seconds(path: Path) -> float:
    """Returns the declared duration in seconds. Raises Unusable if the audio cannot be decoded."""
    discoverer = GstPbutils.Discoverer.new(20 * Gst.SECOND)
    try:
        info = discoverer.discover_uri(path.resolve().as_uri())
    except GLib.Error as error:
        raise Unusable(f"GStreamer finds no audio in it. ({error.message.strip()})")
    if info.get_result() == GstPbutils.DiscovererResult.MISSING_PLUGINS:
        missing = ", ".join(info.get_missing_elements_installer_details()) or "unknown"
        raise Unusable(f"no GStreamer plugin is installed to decode it. ({missing})")
    if not info.get_audio_streams():
        raise Unusable("it contains video, but no audio.")
    return info.get_duration() / Gst.SECOND


def parsed_seconds(path: Path, parser: str) -> float:
    """Returns the end of the last packet in seconds. Only parses the file, so it's fast."""
    pipeline = Gst.parse_launch(f"filesrc name=file ! {parser} ! fakesink name=sink")
    pipeline.get_by_name("file").props.location = str(path)
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.bus.timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    sample = pipeline.get_by_name("sink").props.last_sample
    pipeline.set_state(Gst.State.NULL)
    if sample is None:
        return 0
    buffer = sample.get_buffer()
    return (buffer.pts + buffer.duration) / Gst.SECOND


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: check-input.py FILE", file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    Gst.init([])
    path = Path(sys.argv[1])
    try:
        check_file(path)
        check_bytes(path)
        check_audio(path)
    except Unusable as reason:
        print(f"{path}: {reason}", file=sys.stderr)
        return 1
    print(path.resolve().as_uri())
    return 0


if __name__ == "__main__":
    sys.exit(main())
