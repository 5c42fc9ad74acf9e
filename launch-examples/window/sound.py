# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the window asks of GStreamer: play a file, and look at it. No widget in here.

Each class is one pipeline. A wish of the user is a property of an element, or a seek;
what happens comes back as a message on the bus."""

from collections import deque
from time import monotonic

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

DECODE = "uridecodebin name=source caps=audio/x-raw expose-all-streams=false ! audioconvert dithering=none ! "
DECODE_AIFF = "filesrc name=source ! aiffparse ! audioconvert dithering=none ! "  # uridecodebin may hang (GStreamer 1.22)
EFFECTS = (
    "revbuf name=revbuf mode=seek ! audioconvert dithering=none ! audio/x-raw, format=F32LE ! timescale name=timescale ! "
    "audioconvert name=picking ! capsfilter name=picked ! audioconvert ! capsfilter name=merging ! "
    "audioconvert ! volume name=fader ! audioconvert ! audioresample ! "
)
COLUMNS = 2000  # that a file is looked at in
FLAGS = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE


def ns(seconds):
    return round(seconds * Gst.SECOND)


class Pipeline:
    """A pipeline that decodes `path` and reports its end and its errors in the main loop."""

    def __init__(self, path, description, on_end, on_error):
        with open(path, "rb") as file:
            is_aiff = file.read(4) == b"FORM"
        self.bin = Gst.parse_launch((DECODE_AIFF if is_aiff else DECODE) + description)
        if is_aiff:
            self["source"].set_uri(path.as_uri())
        else:
            self["source"].set_property("uri", path.as_uri())
        self.on_end, self.on_error = on_end, on_error
        self.bus = self.bin.get_bus()
        self.bus.add_signal_watch()
        self.bus.connect("message", self.on_message)

    def __getitem__(self, name):
        return self.bin.get_by_name(name)

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.EOS:
            self.on_end()
        elif message.type == Gst.MessageType.WARNING:
            self.on_error(message.parse_warning()[0].message)
        elif message.type == Gst.MessageType.ERROR:
            self.bin.set_state(Gst.State.NULL)
            self.on_error(message.parse_error()[0].message)
            self.on_end()

    def close(self):
        self.bus.remove_signal_watch()
        self.bin.set_state(Gst.State.NULL)


class Player(Pipeline):
    """Plays a file either way, and can turn, seek, loop and change its speed meanwhile."""

    def __init__(self, path, channels, sink, on_end, on_error):
        super().__init__(path, EFFECTS + sink, on_end, on_error)
        self.channels, self.wanted, self.shown, self.ended = channels, None, 0.0, False
        self.past = deque()  # positions that have left revbuf, and when
        self.seeking = True  # until it is PAUSED for the first time

    def play(self, is_playing):
        self.shown = None if is_playing else self.shown
        self.bin.set_state(Gst.State.PLAYING if is_playing else Gst.State.PAUSED)

    def turn(self, direction):
        """The frame after n is n - 1, or n + 1. The sink plays the buffers that it already has first.
        It is a command: in a ping-pong it changes the direction even if the property has this value already."""
        Gst.util_set_object_arg(self["revbuf"], "direction", direction)

    def has_nothing_left(self, way, duration):
        return self.ended or self.position() == (0 if way == "reverse" else duration)

    def set_loop(self, kind, start, stop):
        """`stop` None is the end of the file."""
        self["revbuf"].set_property("loop-start", ns(start))
        self["revbuf"].set_property("loop-stop", Gst.CLOCK_TIME_NONE if stop is None else ns(stop))
        Gst.util_set_object_arg(self["revbuf"], "loop", kind)

    def set_scale(self, properties):
        for name, value in properties.items():
            Gst.util_set_object_arg(self["timescale"], name, str(value))

    def set_volume(self, volume):
        """From 0 to 1, as the ear has it."""
        self["fader"].set_property("volume", volume**3)

    def set_channels(self, channels):
        """First alone: in the place of all others. A converter reads its matrix when the format around it changes."""
        is_first = channels == "first" and self.channels > 1
        row = "<" + ", ".join(["(float)1"] + ["(float)0"] * (self.channels - 1)) + ">"
        Gst.util_set_object_arg(self["picking"], "mix-matrix", "<" + ", ".join([row] * self.channels * is_first) + ">")
        Gst.util_set_object_arg(self["picked"], "caps", "audio/x-raw, format=F64LE" if is_first else "ANY")
        Gst.util_set_object_arg(self["merging"], "caps", "audio/x-raw, channels=1" if channels == "merged" else "ANY")

    def seek(self, seconds):
        """While a seek is under way, only the latest wish is kept: so scrubbing follows the hand."""
        self.wanted = seconds
        self.shown = None if self.bin.get_state(0)[1] == Gst.State.PLAYING else seconds
        self.seek_once()

    def seek_once(self):
        if self.wanted is None or self.seeking:
            return
        target, self.wanted = ns(self.wanted), None
        # the stop is set again: that of an earlier seek would stay. After timescale, the times would be scaled
        seek = Gst.Event.new_seek(1.0, Gst.Format.TIME, FLAGS, Gst.SeekType.SET, target, Gst.SeekType.SET, -1)
        self.seeking = self["revbuf"].get_static_pad("src").send_event(seek)
        self.ended = False

    def position(self):
        """The audible position in the file, in seconds: that of revbuf, as long ago as the sound takes from there to the
        sink. After timescale, a position would be one in its output."""
        asked = self.wanted if self.shown is None else self.shown  # before it plays, the elements are ahead of what is heard
        if asked is not None:
            self.past.clear()
            return asked
        now, (_, position) = monotonic(), self.place("revbuf")
        self.past.append((now, position / Gst.SECOND))
        is_playing = self.bin.get_state(0)[1] == Gst.State.PLAYING
        while is_playing and len(self.past) > 1 and self.past[1][0] <= now - self.delay():
            self.past.popleft()
        return self.past[0][1]

    def place(self, name):
        return self[name].get_static_pad("src").query_position(Gst.Format.TIME)

    def delay(self):
        """Seconds of sound that timescale and all that follows hold. Its latency is one of its input."""
        latency = Gst.Query.new_latency()
        self["timescale"].get_static_pad("src").query(latency)
        (_, made), (_, heard) = self.place("timescale"), self.bin.query_position(Gst.Format.TIME)
        return (made - heard + latency.parse_latency()[1] * self["timescale"].get_property("factor")) / Gst.SECOND

    def on_message(self, bus, message):
        if message.type == Gst.MessageType.ASYNC_DONE:
            self.seeking = False
            self.seek_once()
        self.ended |= message.type == Gst.MessageType.EOS
        super().on_message(bus, message)


class Peaks(Pipeline):
    """Decodes a file as fast as it goes; `values` grows to `count` or so: peak and power, from 0 to 1."""

    def __init__(self, path, duration, rate, on_change, on_error):
        frames = max(int(duration * rate / COLUMNS), 1)  # whole ones, or they would drift
        self.values, self.count, self.on_change = [], duration * rate / frames, on_change
        super().__init__(path, "level name=level ! fakesink", on_change, on_error)
        self["level"].set_property("interval", ns(frames / rate))
        self.bin.set_state(Gst.State.PLAYING)

    def on_message(self, bus, message):
        if message.type == Gst.MessageType.ELEMENT and message.src == self["level"]:
            level = message.get_structure()
            self.values.append([min(1, 10 ** (max(level.get_value(name)) / 20)) for name in ("peak", "rms")])
            self.on_change()
        super().on_message(bus, message)
