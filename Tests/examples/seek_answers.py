#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sends accurate flushing seeks to a pipeline and prints the events and buffers that follow them.

usage: seek_answers.py FILE FILTER RATE:START_NS:STOP_NS …

Waits for the end of the stream after each seek. Then prints a line of JSON, with the request and
with everything that has arrived at the sink: "segments" (in them, "mine" is true if the sequence
number is that of the seek), "buffers" ([index of the segment, time stamp, duration], in ns), and
"eos" (true if EOS has the sequence number of the last segment)."""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

PROBED = Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM


class Record:
    def __init__(self, seek):
        self.seqnum = seek.get_seqnum()
        self.segments, self.buffers = [], []
        self.last_seqnum = None
        self.eos = None

    def __call__(self, pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            buffer = info.get_buffer()
            self.buffers.append((len(self.segments) - 1, buffer.pts, buffer.duration))
            return Gst.PadProbeReturn.OK
        event = info.get_event()
        if event.type == Gst.EventType.SEGMENT:
            self.add(event)
        elif event.type == Gst.EventType.EOS:
            self.eos = event.get_seqnum() == self.last_seqnum
        return Gst.PadProbeReturn.OK

    def add(self, event):
        segment = event.parse_segment()
        self.last_seqnum = event.get_seqnum()
        fields = ("rate", "applied_rate", "start", "stop", "time", "base")
        values = {field: getattr(segment, field) for field in fields}
        self.segments.append({"mine": self.last_seqnum == self.seqnum, **values})


def answer(pipeline, rate, start, stop):
    flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
    seek = Gst.Event.new_seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, start, Gst.SeekType.SET, stop)
    record = Record(seek)
    pad = pipeline.get_by_name("sink").get_static_pad("sink")
    probe = pad.add_probe(PROBED, record)
    if not pipeline.send_event(seek):
        sys.exit(f"the seek at rate {rate} was refused")
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)
    pad.remove_probe(probe)
    return {"rate": rate, "start": start, "stop": stop, "segments": record.segments, "buffers": record.buffers, "eos": record.eos}


def main(path, audio_filter, *seeks):
    Gst.init([])
    pipeline = Gst.parse_launch(f"filesrc name=source ! decodebin ! audioconvert ! {audio_filter} ! fakesink name=sink")
    pipeline.get_by_name("source").props.location = path
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(Gst.CLOCK_TIME_NONE)
    for seek in seeks:
        rate, start, stop = seek.split(":")
        print(json.dumps(answer(pipeline, float(rate), int(start), int(stop))))
    pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main(*sys.argv[1:])
