# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# For each argument, a chain of elements, prints the latency in ms that it adds to the answer of a
# LATENCY query after a live source at 48 kHz. The query is made after audio has left the chain.

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

SOURCE = "audiotestsrc is-live=true samplesperbuffer=480 num-buffers=30 ! audio/x-raw,format=F32LE,rate=48000,channels=1"


def latency_ns(pad: Gst.Pad) -> int:
    query = Gst.Query.new_latency()
    assert pad.query(query)
    is_live, least_ns, _most = query.parse_latency()
    assert is_live
    return least_ns


def added_ms(chain: str) -> float:
    pipeline = Gst.parse_launch(f"{SOURCE} ! identity name=before ! {chain} ! fakesink name=sink sync=false")
    before, sink = pipeline.get_by_name("before"), pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    end = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert end.type == Gst.MessageType.EOS, end.parse_error()
    added = latency_ns(sink.get_static_pad("sink").get_peer()) - latency_ns(before.get_static_pad("src"))
    pipeline.set_state(Gst.State.NULL)
    return added / Gst.MSECOND


Gst.init([])
for chain in sys.argv[1:]:
    print(added_ms(chain))
