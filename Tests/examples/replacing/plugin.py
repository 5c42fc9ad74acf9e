# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An element between song and sink, whose tempo, rate and pitch are set while it plays."""

import math
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

Gst.init([])
path, kind = sys.argv[1:]


def make():
    element = Gst.ElementFactory.make(kind)
    if kind == "timescale":
        element.set_property("keep-pitch", True)
    return element


def update(element, tempo, rate, pitch):
    if kind == "timescale":
        element.set_property("rate", tempo * rate)
        element.set_property("semitones", 12 * math.log2(pitch * rate))
    else:
        element.set_property("tempo", tempo)
        element.set_property("rate", rate)
        element.set_property("pitch", pitch)


element = make()
player = Gst.ElementFactory.make("playbin")
player.set_property("uri", Gst.filename_to_uri(path))
player.set_property("audio-filter", element)
player.set_property("audio-sink", Gst.parse_bin_from_description("fakesink sync=true", True))
player.set_state(Gst.State.PLAYING)
bus, last = player.get_bus(), None
for settings in [(1.5, 1, 1), (1, 0.9, 1.1), (1, 1, 1)]:
    update(element, *settings)
    last = last or bus.timed_pop_filtered(300 * Gst.MSECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
last = last or bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
player.set_state(Gst.State.NULL)
sys.exit(last.type != Gst.MessageType.EOS)
