# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays with GstPlay, as applications that are built on it do."""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstPlay", "1.0")
from gi.repository import Gst, GstPlay

Gst.init([])
path, effect = sys.argv[1:]
play = GstPlay.Play.new(None)
play.set_uri(Gst.filename_to_uri(path))
pipeline = play.get_pipeline()
pipeline.set_property("audio-filter", Gst.parse_bin_from_description(effect, True))
pipeline.set_property("audio-sink", Gst.parse_bin_from_description("fakesink sync=true", True))
play.set_rate(1.5)
play.play()
bus, ends = play.get_message_bus(), {GstPlay.PlayMessage.END_OF_STREAM, GstPlay.PlayMessage.ERROR}
while (kind := GstPlay.play_message_parse_type(bus.timed_pop(Gst.CLOCK_TIME_NONE))) not in ends:
    pass
play.stop()
sys.exit(kind != GstPlay.PlayMessage.END_OF_STREAM)
