# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes the speed while a file plays, by the seeks of three applications."""

import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst

Gst.init([])
path, application, effect = sys.argv[1:]
flush, accurate, trick = Gst.SeekFlags.FLUSH, Gst.SeekFlags.ACCURATE, Gst.SeekFlags.TRICKMODE
name, flags = {
    "player": ("playbin", flush | accurate),  # as most do
    "parlatype": ("playbin3", flush | accurate),
    "clapper": ("playbin", flush | trick),
}[application]
player = Gst.ElementFactory.make(name)
player.set_property("uri", Gst.filename_to_uri(path))
player.set_property("audio-filter", Gst.parse_bin_from_description(effect, True))
player.set_property("audio-sink", Gst.parse_bin_from_description("fakesink sync=true", True))
player.set_state(Gst.State.PLAYING)
bus, last = player.get_bus(), None
for speed in [1.5, 0.75, 1]:
    player.get_state(Gst.CLOCK_TIME_NONE)
    _, place = player.query_position(Gst.Format.TIME)
    player.seek(speed, Gst.Format.TIME, flags, Gst.SeekType.SET, place, Gst.SeekType.SET, -1)
    last = last or bus.timed_pop_filtered(300 * Gst.MSECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
last = last or bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
player.set_state(Gst.State.NULL)
sys.exit(last.type != Gst.MessageType.EOS)
