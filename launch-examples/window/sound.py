# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the window asks of GStreamer: play a file, and look at it. No widget in here.

Each class is one pipeline. A wish of the user is a property of an element, or a seek;
what happens comes back as a message on the bus."""

from collections import deque

from gi.repository import Gst

DECODE = "uridecodebin3 name=source caps=audio/x-raw audioconvert name=decoded dithering=none ! "
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
    """Decodes one file after another, and reports their ends and errors in the main loop."""

    def __init__(self, description, on_end, on_error):
        self.bin = Gst.parse_launch(DECODE + description)
        self["source"].connect("pad-added", lambda source, _pad: source.link(self["decoded"]))
        self.on_end, self.on_error, bus = on_end, on_error, self.bin.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def __getitem__(self, name):
        return self.bin.get_by_name(name)

    def open(self, path):
        self.close()
        self["source"].set_property("uri", path.as_uri())

    def close(self):
        self.bin.set_state(Gst.State.NULL)

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.EOS:
            self.on_end()
        elif message.type == Gst.MessageType.WARNING:
            self.on_error(message.parse_warning()[0].message)
        elif message.type == Gst.MessageType.ERROR:
            self.close()
            self.on_error(message.parse_error()[0].message)
            self.on_end()


class Player(Pipeline):
    """Plays files either way, and can turn, seek, loop and change their speed meanwhile."""

    def __init__(self, sink, on_end, on_error):
        super().__init__(EFFECTS + sink, on_end, on_error)
        self.past = deque()  # positions that have left revbuf, and when

    def open(self, path, channels):
        super().open(path)
        self.channels, self.wanted, self.shown, self.ended = channels, None, 0.0, False

    def play(self, is_playing):
        self.bin.set_state(Gst.State.PLAYING if is_playing else Gst.State.PAUSED)

    def turn(self, direction):
        """The frame after n is n - 1, or n + 1. The sink plays the buffers that it already has first.
        It is a command: in a ping-pong it changes the direction even if the property has this value already."""
        self["revbuf"].set_property("direction", direction)

    def set_loop(self, kind, part):
        """`part` is from and to in seconds, or None: the whole file."""
        start, stop = map(ns, part) if part else (0, Gst.CLOCK_TIME_NONE)
        self["revbuf"].set_properties(loop_start=start, loop_stop=stop, loop=kind)

    def set_channels(self, choice):
        """First alone: in the place of all others. A converter reads its matrix when the format around it changes."""
        is_first = choice == "first" and self.channels > 1
        row = "<" + ", ".join(["(float)1"] + ["(float)0"] * (self.channels - 1)) + ">"
        Gst.util_set_object_arg(self["picking"], "mix-matrix", "<" + ", ".join([row] * self.channels * is_first) + ">")
        Gst.util_set_object_arg(self["picked"], "caps", "audio/x-raw, format=F64LE" if is_first else "ANY")
        Gst.util_set_object_arg(self["merging"], "caps", "audio/x-raw, channels=1" if choice == "merged" else "ANY")

    def seek(self, seconds):
        self.wanted = self.shown = seconds
        self.send_seek()

    def send_seek(self):
        """While a seek is under way, only the latest wish is kept: so scrubbing follows the hand."""
        if self.wanted is None or self.bin.get_state(0)[0] == Gst.StateChangeReturn.ASYNC:
            return
        # the stop is set again: that of an earlier seek would stay. After timescale, the times would be scaled
        seek = Gst.Event.new_seek(1.0, Gst.Format.TIME, FLAGS, Gst.SeekType.SET, ns(self.wanted), Gst.SeekType.SET, -1)
        self["revbuf"].get_static_pad("src").send_event(seek)
        self.wanted, self.ended = None, False

    def position(self):
        """The audible position in the file, in seconds: that of revbuf, as long ago as the sound takes from there to the
        sink. After timescale, a position would be one in its output. It is to be asked regularly."""
        self.send_seek()
        change, state, _ = self.bin.get_state(0)
        if change == Gst.StateChangeReturn.SUCCESS and state == Gst.State.PLAYING:
            self.shown, now = None, self.bin.get_current_running_time()
            self.past.append((now, self.place("revbuf") / Gst.SECOND))
            while len(self.past) > 1 and self.past[1][0] <= now - self.delay():
                self.past.popleft()
        elif self.shown is not None:  # before it plays, the elements are ahead of what is heard
            self.past = deque([(0, self.shown)])
        return self.past[0][1]

    def place(self, name):
        return self[name].get_static_pad("src").query_position(Gst.Format.TIME)[1]

    def delay(self):
        """How much sound timescale and all that follows hold, in ns. Its latency is one of its input."""
        timescale, latency = self["timescale"], Gst.Query.new_latency()
        timescale.get_static_pad("src").query(latency)
        made, heard = self.place("timescale"), self.bin.query_position(Gst.Format.TIME)[1]
        return made - heard + latency.parse_latency()[1] * timescale.get_property("factor")

    def on_message(self, bus, message):
        self.ended |= message.type == Gst.MessageType.EOS
        super().on_message(bus, message)


class Peaks(Pipeline):
    """Decodes a file as fast as it goes; `values` grows to `count` or so: peak and power, from 0 to 1."""

    def __init__(self, on_change, on_error):
        super().__init__("level name=level ! fakesink", on_change, on_error)

    def open(self, path, duration, rate):
        super().open(path)
        frames = max(int(duration * rate / COLUMNS), 1)  # whole ones, or they would drift
        self.values, self.count = [], duration * rate / frames
        self["level"].set_property("interval", ns(frames / rate))
        self.bin.set_state(Gst.State.PLAYING)

    def on_message(self, bus, message):
        if message.type == Gst.MessageType.ELEMENT and message.src == self["level"]:
            level = message.get_structure()
            self.values.append([min(1, 10 ** (max(level.get_value(name)) / 20)) for name in ("peak", "rms")])
            self.on_end()
        super().on_message(bus, message)
