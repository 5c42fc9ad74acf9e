#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A player that changes direction, scrubs and loops while it plays.

usage: reverse-player.py FILE [SINK]

SINK is a description as for gst-launch-1.0: "autoaudiosink" to listen, "fakesink
sync=true" (the default) for no sound. Commands are read from standard input, one
per line; times are in seconds of the file. The position is printed ten times per
second.

    reverse, forward      changes direction: the next frame is n - 1 or n + 1
    seek 12.5             continues at 12.5 s, in the same direction
    loop 2 4              repeats the part from 2 s to 4 s
    ping-pong 2 4         changes direction at 2 s and at 4 s
    no-loop
    rate 2                twice as fast, and an octave higher
    pause, play, quit
"""

import sys

import beside
import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

PRINT_INTERVAL_MS = 100
MAX_SECONDS = 1e9
PIPELINE = (
    "filesrc name=file ! decodebin caps=audio/x-raw expose-all-streams=false ! "
    "revbuf name=revbuf mode=seek ! audioconvert ! timescale name=timescale ! "
    "audioconvert ! audioresample ! "
)


def say(sentence):
    print(sentence, file=sys.stderr, flush=True)


class Player:
    """The pipeline and its commands, which each set an element's property or seek."""

    def __init__(self, path, sink):
        self.pipeline = Gst.parse_launch(PIPELINE + sink)
        self.pipeline.get_by_name("file").set_property("location", path)
        self.revbuf = self.pipeline.get_by_name("revbuf")
        self.timescale = self.pipeline.get_by_name("timescale")
        self.loop = GLib.MainLoop()
        self.status = 0
        self.commands = {
            "reverse": lambda: self.turn("reverse"),
            "forward": lambda: self.turn("forward"),
            "seek": self.seek,
            "loop": lambda start, stop: self.set_loop("repeat", start, stop),
            "ping-pong": lambda start, stop: self.set_loop("ping-pong", start, stop),
            "no-loop": lambda: Gst.util_set_object_arg(self.revbuf, "loop", "none"),
            "rate": self.set_rate,
            "pause": lambda: self.pipeline.set_state(Gst.State.PAUSED),
            "play": lambda: self.pipeline.set_state(Gst.State.PLAYING),
            "quit": self.loop.quit,
        }

    def turn(self, direction):
        Gst.util_set_object_arg(self.revbuf, "direction", direction)

    def seek(self, seconds):
        """Seeks. Also resets the stop, because an earlier seek's would still apply."""
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        start = Gst.SeekType.SET, int(seconds * Gst.SECOND)
        self.pipeline.seek(1.0, Gst.Format.TIME, flags, *start, Gst.SeekType.SET, -1)

    def set_loop(self, kind, start, stop):
        self.revbuf.set_property("loop-start", int(start * Gst.SECOND))
        self.revbuf.set_property("loop-stop", int(stop * Gst.SECOND))
        Gst.util_set_object_arg(self.revbuf, "loop", kind)

    def set_rate(self, rate):
        self.timescale.set_property("rate", min(max(rate, 0.01), 100))

    def obey(self, line):
        name, *values = line.split() or [""]
        try:
            values = [float(value) for value in values]
            if not all(0 <= value <= MAX_SECONDS for value in values):
                raise ValueError
            self.commands[name](*values)
        except (KeyError, TypeError, ValueError):
            say(f"'{line.strip()}' is not a command; the commands are: {', '.join(self.commands)}.")

    def on_input(self, file, _condition):
        line = file.readline().decode(errors="replace")
        if line.strip():
            self.obey(line)
        return line != ""

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            say(f"{message.src.get_name()}: {message.parse_error()[0].message}")
            self.status = 1
        elif message.type == Gst.MessageType.WARNING:
            say(message.parse_warning()[0].message)
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            self.loop.quit()

    def print_position(self):
        """Prints the position at the source pad of revbuf, which is a position in the file. After
        timescale, it would be a position in the scaled sound."""
        known, position = self.revbuf.get_static_pad("src").query_position(Gst.Format.TIME)
        if known:
            print(f"{position / Gst.SECOND:.3f}", flush=True)
        return GLib.SOURCE_CONTINUE

    def run(self):
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)
        commands = open(0, "rb", buffering=0)  # unbuffered, because lines would get stuck in a buffer
        GLib.io_add_watch(commands, GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.on_input)
        GLib.timeout_add(PRINT_INTERVAL_MS, self.print_position)
        self.pipeline.set_state(Gst.State.PAUSED)
        # wait for PAUSED, because the pipeline can't seek before that
        self.pipeline.get_state(Gst.CLOCK_TIME_NONE)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        return self.status


def main():
    if not 2 <= len(sys.argv) <= 3:
        say("usage: reverse-player.py FILE [SINK]")
        return 2
    beside.prepare()
    Gst.init([])
    try:
        return Player(*sys.argv[1:], *["fakesink sync=true"][len(sys.argv) - 2 :]).run()
    except GLib.Error as error:
        say(f"The pipeline could not be built: {error.message}")
        if not Gst.ElementFactory.find("revbuf"):
            say(beside.missing())
        return 1


if __name__ == "__main__":
    sys.exit(main())
