#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays a file with playbin and a filter, at one rate after another.

Usage: playbin_rates.py URI FILTER RATE …

For each rate, seeks to the middle and records the stream times of the first buffers that each sink
receives. Prints JSON: a list of {"rate": rate, "audio": [stream time in seconds, …], "video": […]}.
The list contains only the sinks that the file needs.
"""

import json
import os
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

BUFFERS = 6
SECONDS_ALLOWED = 20


class Sink:
    """A fakesink that waits for the clock. Records the stream times of the buffers that it has
    received since the last flush."""

    def __init__(self, changed):
        self.element = Gst.ElementFactory.make("fakesink")
        self.element.set_property("sync", True)
        self.changed, self.segment, self.times = changed, None, None
        wanted = Gst.PadProbeType.EVENT_DOWNSTREAM | Gst.PadProbeType.EVENT_FLUSH | Gst.PadProbeType.BUFFER
        self.element.get_static_pad("sink").add_probe(wanted, self.on_data)

    def on_data(self, _pad, info):
        with self.changed:
            if info.type & Gst.PadProbeType.BUFFER:
                pts = info.get_buffer().pts
                if self.times is not None and self.segment.clip(Gst.Format.TIME, pts, pts)[0]:
                    self.times.append(self.segment.to_stream_time(Gst.Format.TIME, pts) / Gst.SECOND)
            elif info.get_event().type == Gst.EventType.FLUSH_STOP:
                self.times = []
            elif info.get_event().type == Gst.EventType.SEGMENT:
                self.segment = info.get_event().parse_segment()
            self.changed.notify_all()
        return Gst.PadProbeReturn.OK


def seek(playbin, rate, middle):
    flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
    if rate > 0:
        edges = Gst.SeekType.SET, middle, Gst.SeekType.SET, -1
    else:
        edges = Gst.SeekType.SET, 0, Gst.SeekType.SET, middle
    if not playbin.seek(rate, Gst.Format.TIME, flags, *edges):
        sys.exit(f"the seek with rate {rate:g} was refused")


def wait_for_buffers(sinks, changed):
    with changed:
        if not changed.wait_for(lambda: all(len(sink.times or []) >= BUFFERS for sink in sinks), SECONDS_ALLOWED):
            sys.exit(f"no buffers come any more: {[sink.times for sink in sinks]}")
        return [sink.times[:BUFFERS] for sink in sinks]


def main():
    uri, audio_filter, *rates = sys.argv[1:]
    changed = threading.Condition()
    sinks = {name: Sink(changed) for name in ("audio", "video")}
    playbin = Gst.ElementFactory.make("playbin")
    playbin.set_property("uri", uri)
    playbin.set_property("audio-filter", Gst.parse_bin_from_description(audio_filter, True))
    for name, sink in sinks.items():
        playbin.set_property(f"{name}-sink", sink.element)
    playbin.set_state(Gst.State.PAUSED)
    playbin.get_state(Gst.CLOCK_TIME_NONE)
    middle = playbin.query_duration(Gst.Format.TIME)[1] // 2
    used = {name: sink for name, sink in sinks.items() if playbin.get_property(f"n-{name}")}
    playbin.set_state(Gst.State.PLAYING)

    report = []
    for rate in map(float, rates):
        for sink in sinks.values():
            sink.times = None  # nothing is recorded until the flush
        seek(playbin, rate, middle)
        times = wait_for_buffers(used.values(), changed)
        report.append({"rate": rate, **dict(zip(used, times))})
    playbin.set_state(Gst.State.NULL)
    print(json.dumps(report))


if __name__ == "__main__":
    # an exception in a callback from a GStreamer thread would not end the process otherwise
    sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(1))
    Gst.init([])
    main()
