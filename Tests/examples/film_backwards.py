#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a film backwards by a seek with a negative rate, which the pipeline sends to both sinks.

Usage: film_backwards.py FILE

Prints JSON: {blocks: number of blocks that revbuf has fetched, warnings: [text, …], audio and
video: [[running time, stream time] of each buffer, in seconds]}."""

import json
import os
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

FLAGS = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
SECONDS_ALLOWED = 60


class Sink:
    def __init__(self, element):
        self.times, self.segment = [], None
        wanted = Gst.PadProbeType.EVENT_DOWNSTREAM | Gst.PadProbeType.EVENT_FLUSH | Gst.PadProbeType.BUFFER
        element.get_static_pad("sink").add_probe(wanted, self.on_data)

    def on_data(self, _pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            pts, segment = info.get_buffer().pts, self.segment
            if segment.clip(Gst.Format.TIME, pts, pts)[0]:
                times = segment.to_running_time(Gst.Format.TIME, pts), segment.to_stream_time(Gst.Format.TIME, pts)
                self.times.append([time / Gst.SECOND for time in times])
        elif info.get_event().type == Gst.EventType.FLUSH_STOP:
            self.times = []
        elif info.get_event().type == Gst.EventType.SEGMENT:
            self.segment = info.get_event().parse_segment()
        return Gst.PadProbeReturn.OK


def wait_for_end(pipeline):
    """Waits for the end of the stream. Returns the texts of all warnings."""
    warnings = []
    types = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING
    while message := pipeline.get_bus().timed_pop_filtered(SECONDS_ALLOWED * Gst.SECOND, types):
        if message.type == Gst.MessageType.EOS:
            return warnings
        if message.type == Gst.MessageType.ERROR:
            sys.exit(message.parse_error()[0].message)
        warnings.append(message.parse_warning()[0].message)
    sys.exit("no end")


def main(path):
    sound = "queue ! audioconvert ! revbuf name=revbuf ! fakesink name=audio"
    pipeline = Gst.parse_launch(f"filesrc name=file ! decodebin name=film film. ! {sound} film. ! queue ! videoconvert ! fakesink name=video")
    pipeline.get_by_name("file").set_property("location", path)
    sinks = {name: Sink(pipeline.get_by_name(name)) for name in ("audio", "video")}
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    end = pipeline.query_duration(Gst.Format.TIME)[1]
    if not pipeline.seek(-1.0, Gst.Format.TIME, FLAGS, Gst.SeekType.SET, 0, Gst.SeekType.SET, end):
        sys.exit("the seek was refused")
    pipeline.set_state(Gst.State.PLAYING)
    report = {"warnings": wait_for_end(pipeline)}
    report["blocks"] = pipeline.get_by_name("revbuf").get_property("stats").get_value("blocks")
    pipeline.set_state(Gst.State.NULL)
    print(json.dumps(report | {name: sink.times for name, sink in sinks.items()}))


if __name__ == "__main__":
    # an exception in a callback from a GStreamer thread would not end the process otherwise
    sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(1))
    Gst.init([])
    main(*sys.argv[1:])
