#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: backward_from.py FILE FILTER SECONDS FRAMES

Pauses FILE at its beginning, sets the direction of FILTER to reverse, and seeks to SECONDS, or to
the duration if that is "end". Writes the samples that the sink then plays to FRAMES, with 16 bits."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

SECONDS_ALLOWED = 60
PIPELINE = (
    "filesrc name=file ! decodebin ! audioconvert dithering=none ! audio/x-raw, format=S16LE, "
    "layout=interleaved ! {} ! fakesink name=sink signal-handoffs=true"
)

Gst.init([])
path, audio_filter, seconds, frames = sys.argv[1:]
pipeline, heard = Gst.parse_launch(PIPELINE.format(f"{audio_filter} name=revbuf")), []
pipeline.get_by_name("file").set_property("location", path)
pipeline.get_by_name("sink").connect(
    "handoff", lambda _sink, buffer, _pad: heard.append(buffer.extract_dup(0, buffer.get_size()))
)
pipeline.set_state(Gst.State.PAUSED)
pipeline.get_state(Gst.CLOCK_TIME_NONE)
pipeline.get_by_name("revbuf").set_property("direction", 1)
duration = pipeline.query_duration(Gst.Format.TIME)[1]
place = duration if seconds == "end" else round(float(seconds) * Gst.SECOND)
flags, kind = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, Gst.SeekType.SET
if not pipeline.seek(1, Gst.Format.TIME, flags, kind, place, kind, -1):
    sys.exit("the seek was refused")
pipeline.set_state(Gst.State.PLAYING)
wanted = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING
message = pipeline.get_bus().timed_pop_filtered(SECONDS_ALLOWED * Gst.SECOND, wanted)
pipeline.set_state(Gst.State.NULL)
if message is None or message.type != Gst.MessageType.EOS:
    sys.exit(message.get_structure().to_string() if message else "the stream did not end")
with open(frames, "wb") as file:
    file.write(b"".join(heard))
