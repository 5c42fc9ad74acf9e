# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the window asks of GStreamer: play a file, look at it, write it. No widget in here.

Each class is one pipeline. A wish of the user is a property of `revbuf` or
`timescale`, or a seek; what happens comes back as a message on the bus."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

DECODE = "uridecodebin name=source caps=audio/x-raw expose-all-streams=false ! audioconvert dithering=none ! "
EFFECTS = "revbuf name=revbuf mode=seek ! audioconvert dithering=none ! timescale name=timescale ! audioconvert ! "
ENCODERS = {
    ".wav": "wavenc",
    ".flac": "flacenc",
    ".ogg": "vorbisenc quality=0.6 ! oggmux",
    ".opus": "audioresample ! opusenc ! oggmux",
}
FLAGS = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE


def ns(seconds):
    return round(seconds * Gst.SECOND)


class Pipeline:
    """A pipeline that tells of its end and of its errors in the main loop."""

    def __init__(self, description, uri, on_end, on_error):
        self.bin = Gst.parse_launch(description)
        self["source"].set_property("uri", uri)
        self.on_end, self.on_error = on_end, on_error
        self.bus = self.bin.get_bus()
        self.bus.add_signal_watch()
        self.bus.connect("message", self.on_message)

    def __getitem__(self, name):
        return self.bin.get_by_name(name)

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.EOS:
            self.on_end()
        elif message.type == Gst.MessageType.ERROR:
            self.bin.set_state(Gst.State.NULL)
            self.on_error(message.parse_error()[0].message)

    def close(self):
        self.bus.remove_signal_watch()
        self.bin.set_state(Gst.State.NULL)


class Player(Pipeline):
    """Plays a file either way, and can turn, seek, loop and change its speed meanwhile."""

    def __init__(self, uri, sink, on_end, on_error):
        super().__init__(DECODE + EFFECTS + "audioresample ! " + sink, uri, on_end, on_error)
        self.wanted, self.ended = None, False
        self.seeking = True  # until it is PAUSED for the first time
        self.bin.set_state(Gst.State.PAUSED)

    def set_direction(self, direction):
        """The frame after n is n - 1, or n + 1. What the sink holds already is heard first."""
        Gst.util_set_object_arg(self["revbuf"], "direction", direction)

    def set_loop(self, kind, markers):
        for name, seconds in zip(("loop-start", "loop-stop"), markers):
            self["revbuf"].set_property(name, ns(seconds))
        Gst.util_set_object_arg(self["revbuf"], "loop", kind)

    def set_speed(self, speed, keep_pitch):
        self["timescale"].set_property("rate", speed)
        self["timescale"].set_property("keep-pitch", keep_pitch)

    def seek(self, seconds):
        """While a seek is under way, only the latest wish is kept: so scrubbing follows the hand."""
        self.wanted = seconds
        self.seek_once()

    def seek_once(self):
        if self.wanted is None or self.seeking:
            return
        target, self.wanted = ns(self.wanted), None
        # the stop is set anew: one of an earlier seek would stay
        self.seeking = self.bin.seek(1.0, Gst.Format.TIME, FLAGS, Gst.SeekType.SET, target, Gst.SeekType.SET, -1)
        self.ended = False

    def position(self):
        """The place in the file, in seconds; behind timescale it would be one in what is heard."""
        _, position = self["revbuf"].get_static_pad("src").query_position(Gst.Format.TIME)
        return self.wanted if self.wanted is not None else position / Gst.SECOND

    def on_message(self, bus, message):
        if message.type == Gst.MessageType.ASYNC_DONE:
            self.seeking = False
            self.seek_once()
        self.ended |= message.type == Gst.MessageType.EOS
        super().on_message(bus, message)


class Peaks(Pipeline):
    """Decodes a file as fast as it goes; `values` grows by one for each interval, from 0 to 1."""

    def __init__(self, uri, interval, on_change, on_error):
        self.values, self.on_change = [], on_change
        super().__init__(DECODE + "level name=level ! fakesink", uri, on_change, on_error)
        self["level"].set_property("interval", ns(interval))
        self.bin.set_state(Gst.State.PLAYING)

    def on_message(self, bus, message):
        if message.type == Gst.MessageType.ELEMENT and message.src == self["level"]:
            self.values.append(min(1.0, 10 ** (max(message.get_structure().get_value("peak")) / 20)))
            self.on_change()
        super().on_message(bus, message)


class Export(Pipeline):
    """Writes what would be heard: the part between the markers, or all for None. The output is
    a part file beside the target until it is complete. `on_done` gets a sentence at the end."""

    def __init__(self, uri, path, settings, on_done):
        """Raises ValueError for an unknown type, GLib.Error without an encoder, OSError."""
        direction, speed, keep_pitch, self.markers = settings
        self.target, self.on_done = Path(path), on_done
        encoder = ENCODERS.get(self.target.suffix.lower())
        if not encoder:
            raise ValueError(f"let the name end in one of {', '.join(ENCODERS)}.")
        super().__init__(DECODE + EFFECTS + encoder + " ! fdsink name=sink", uri, self.keep, self.fail)
        # "x" creates a new file, and follows no link
        name = f".{self.target.name[:32]}.part-{secrets.token_hex(8)}"
        try:
            self.part = open(self.target.with_name(name), "xb", buffering=0)
        except OSError:
            super().close()
            raise
        with suppress(FileNotFoundError):  # a private file stays private
            os.fchmod(self.part.fileno(), self.target.stat().st_mode & 0o777)
        self["sink"].set_property("fd", self.part.fileno())
        self["timescale"].set_property("rate", speed)
        self["timescale"].set_property("keep-pitch", keep_pitch)
        Gst.util_set_object_arg(self["revbuf"], "direction", direction)
        if self.markers:
            # An encoder cannot forget what it has begun with, so it gets nothing before the seek.
            pad = self["revbuf"].get_static_pad("src")
            self.block = pad.add_probe(Gst.PadProbeType.BLOCK | Gst.PadProbeType.BUFFER, self.on_first_buffer)
        self.bin.set_state(Gst.State.PLAYING)

    def on_first_buffer(self, _pad, _info):
        """Here in a thread of the pipeline, which waits; the seek comes from the main loop."""
        if self.markers:
            GLib.idle_add(self.enter, self.markers)
            self.markers = None
        return Gst.PadProbeReturn.OK

    def enter(self, markers):
        start, stop = (ns(seconds) for seconds in markers)
        if not self["revbuf"].seek(1.0, Gst.Format.TIME, FLAGS, Gst.SeekType.SET, start, Gst.SeekType.SET, stop):
            return self.fail("GStreamer cannot seek to the markers in this file.")
        self["revbuf"].get_static_pad("src").remove_probe(self.block)

    def keep(self):
        self.bin.set_state(Gst.State.NULL)
        try:
            os.replace(self.part.name, self.target)
        except OSError as error:
            return self.fail(error.strerror)
        self.close()
        self.on_done(f"Wrote {self.target}")

    def fail(self, reason):
        self.close()
        self.on_done(f"{self.target}: {reason}")

    def close(self):
        super().close()
        with suppress(FileNotFoundError):  # it has its name already
            os.unlink(self.part.name)
        self.part.close()
