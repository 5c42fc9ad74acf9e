# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: flow_run.py PIPELINE FILE
#
# Writes the samples that arrive at the appsink of PIPELINE to FILE, as 32-bit floats. Prints JSON:
# gaps and overlaps of the timestamps (in frames and ns), segments, warnings, and the number of
# blocks that an element named "revbuf" has fetched.

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

Gst.init([])
NONE = Gst.CLOCK_TIME_NONE
pipeline = Gst.parse_launch(
    f"{sys.argv[1]} ! audioconvert ! audio/x-raw,format=F32LE,layout=interleaved ! appsink name=sink sync=false"
)
sink, bus, revbuf = pipeline.get_by_name("sink"), pipeline.get_bus(), pipeline.get_by_name("revbuf")
report = {"jumps": [], "segments": [], "warnings": [], "blocks": None}
frames, expected_ns = 0, None
pipeline.set_state(Gst.State.PLAYING)
with open(sys.argv[2], "wb") as file:
    while sample := sink.emit("pull-sample"):
        buffer, segment = sample.get_buffer(), sample.get_segment()
        times = [segment.start, segment.stop if segment.stop != NONE else None, segment.rate, segment.applied_rate]
        if times not in report["segments"]:
            report["segments"].append(times)
        if expected_ns is not None and abs(buffer.pts - expected_ns) > 1:
            report["jumps"].append([frames, buffer.pts - expected_ns])
        expected_ns = buffer.pts + buffer.duration
        frames += buffer.get_size() // 4 // sample.get_caps().get_structure(0).get_int("channels")[1]
        file.write(buffer.extract_dup(0, buffer.get_size()))
if revbuf:
    report["blocks"] = revbuf.get_property("stats").get_uint64("blocks").value
while message := bus.pop_filtered(Gst.MessageType.WARNING | Gst.MessageType.ERROR):
    is_error = message.type == Gst.MessageType.ERROR
    error, _ = message.parse_error() if is_error else message.parse_warning()
    if is_error:
        sys.exit(error.message)
    report["warnings"].append(error.message)
pipeline.set_state(Gst.State.NULL)
print(json.dumps(report))
