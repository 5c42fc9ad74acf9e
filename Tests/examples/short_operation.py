#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays the last part of an effect in a composition of GStreamer Editing Services, and the source
that follows it.

usage: short_operation.py FILTER SECONDS

The composition has three sources, one after another, of 3, 4 and 5 s. FILTER is applied to the
second one. In PAUSED, seeks to SECONDS before the end of the second source; then plays to the end.
Prints a JSON list, in the order in which things happen:

  ["in", frames]                            the input of FILTER has ended after this many frames
  ["segment", start_ns, stop_ns, time_ns]   a segment has arrived at the sink
  ["out", frames]                           number of frames at the sink since the previous event
  ["eos"]                                   EOS has arrived at the sink"""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

PROBED = Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM | Gst.PadProbeType.EVENT_FLUSH
CAPS = "audio/x-raw,format=F32LE,rate=44100,channels=1"
FRAME_BYTES = 4
Gst.init([])
report = []


def place(factory, child, start, seconds, priority, inpoint=0):
    element = Gst.ElementFactory.make(factory)
    element.props.start, element.props.duration = start * Gst.SECOND, seconds * Gst.SECOND
    element.props.priority, element.props.inpoint = priority, inpoint * Gst.SECOND
    element.add(child)
    return element


def source(start, seconds, priority, inpoint):
    child = Gst.parse_bin_from_description(f"audiotestsrc ! capsfilter caps={CAPS}", True)
    return place("nlesource", child, start, seconds, priority, inpoint)


class Counter:
    frames = 0

    def __init__(self, pad, name, what_ends):
        self.name, self.what_ends = name, what_ends
        pad.add_probe(PROBED, self.look)

    def look(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            self.frames += info.get_buffer().get_size() // FRAME_BYTES
        elif info.get_event().type == Gst.EventType.FLUSH_STOP:
            self.frames = 0
        elif info.get_event().type in self.what_ends:
            self.end(info.get_event())
        return Gst.PadProbeReturn.OK

    def end(self, event):
        if self.frames > 0:
            report.append((self.name, self.frames))
        self.frames = 0
        if self.name == "in":
            return
        if event.type == Gst.EventType.EOS:
            report.append(("eos",))
        else:
            segment = event.parse_segment()
            report.append(("segment", segment.start, segment.stop, segment.time))


def wait_for(bus, kind):
    message = bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, kind | Gst.MessageType.ERROR)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)


def main(description, seconds):
    audio_filter = Gst.parse_launch(description)
    composition = Gst.ElementFactory.make("nlecomposition")
    composition.add(source(0, 3, 2, 99))
    composition.add(source(3, 4, 3, 7))
    composition.add(source(7, 5, 2, 20))
    composition.add(place("nleoperation", audio_filter, 3, 4, 2))
    composition.emit("commit", True)
    pipeline, sink = Gst.Pipeline(), Gst.ElementFactory.make("fakesink")
    pipeline.add(composition)
    pipeline.add(sink)
    composition.link(sink)

    pipeline.set_state(Gst.State.PAUSED)
    wait_for(pipeline.get_bus(), Gst.MessageType.ASYNC_DONE)
    Counter(audio_filter.get_static_pad("sink"), "in", {Gst.EventType.EOS})
    Counter(sink.get_static_pad("sink"), "out", {Gst.EventType.EOS, Gst.EventType.SEGMENT})
    place_ns = 7 * Gst.SECOND - int(float(seconds) * Gst.SECOND)
    pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, place_ns)
    wait_for(pipeline.get_bus(), Gst.MessageType.ASYNC_DONE)
    pipeline.set_state(Gst.State.PLAYING)
    wait_for(pipeline.get_bus(), Gst.MessageType.EOS)
    pipeline.set_state(Gst.State.NULL)
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
