# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pipeline of the player. The window sets properties of its elements directly."""

import threading
from collections import deque

from gi.repository import Gst

SOURCE = "uridecodebin3 name=source caps=audio/x-raw"
SOUND = (
    f"{SOURCE} audioconvert name=decoded dithering=none ! "
    # formats whose speed revbuf can change
    "audio/x-raw, format={S16LE, S32LE, F32LE, F64LE} ! "
    "revbuf name=revbuf ! audioconvert dithering=none ! audio/x-raw, format=F32LE ! "
    "timescale name=timescale ! audioconvert name=picking ! capsfilter name=picked ! "
    "audioconvert ! capsfilter name=merged ! audioconvert ! volume name=volume ! "
    "audioconvert ! audioresample ! "
)
FLAGS = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
NEAR = 0.2  # seconds of sound before a far place to which it is dragged
PATIENCE = 250  # calls of position() without sound, after which a file is given up: ten seconds


def sentence(error):
    """Returns what a listener can do. What revbuf advises is for somebody who makes pipelines."""
    if error.matches(Gst.resource_error_quark(), Gst.ResourceError.SEEK):
        return "GStreamer cannot seek in this file; convert it into another type first."
    return error.message


class Player:
    """Plays one file at a time. Calls in the main loop `on_end` (with False after an error), and
    `on_error` with a sentence (and True if it is a warning)."""

    def __init__(self, sink):
        """Raises GLib.Error if an element is missing."""
        self.bin, self.mixed, self.channels = Gst.parse_launch(SOUND + sink), "all", 1
        self.wanted, self.ended, self.past, self.dry, self.here = None, False, deque([(0, 0)]), 0, 0
        self.connect()
        bus = self.bin.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def connect(self):
        self["source"].connect("pad-added", lambda source, _pad: source.link(self["decoded"]))

    def __getitem__(self, name):
        return self.bin.get_by_name(name)

    def open(self, path, channels, start=0):
        """Opens a file. Playback will begin at `start`: the start, the end, or a marker."""
        self.close()
        self["source"].set_property("uri", path.as_uri())
        self.channels, self.wanted, self.ended = channels, None, False
        self.past, self.dry = deque([(0, start)]), 0  # (running time, position), oldest first
        self.mix(self.mixed)

    def close(self):
        self.bin.set_state(Gst.State.NULL)

    def play(self, is_playing):
        self.bin.set_state(Gst.State.PLAYING if is_playing else Gst.State.PAUSED)

    def mix(self, choice):
        """Plays all channels, the first one on every channel, or one channel with the mix of all.
        The caps change with the matrix, because audioconvert reads the matrix only then."""
        self.mixed, is_first = choice, choice == "first" and self.channels > 1
        row, change = "(float)1" + ", (float)0" * (self.channels - 1), Gst.util_set_object_arg
        matrix = ", ".join([f"<{row}>"] * self.channels) if is_first else ""
        change(self["picking"], "mix-matrix", f"<{matrix}>")
        change(self["picked"], "caps", "audio/x-raw, format=F64LE" if is_first else "ANY")
        change(self["merged"], "caps", "audio/x-raw, channels=1" if choice == "merged" else "ANY")

    def seek(self, seconds):
        """Seeks. If a seek is in progress, stores the target; `position()` seeks to it later."""
        self.wanted, self.ended, self.past = seconds, False, deque([(0, seconds)])
        if self.bin.get_state(0)[0] != Gst.StateChangeReturn.ASYNC:
            target, kind, self.wanted = round(seconds * Gst.SECOND), Gst.SeekType.SET, None
            # the stop is reset, too, because the stop of an earlier seek would still apply
            seek = Gst.Event.new_seek(1, Gst.Format.TIME, FLAGS, kind, target, kind, -1)
            self["revbuf"].get_static_pad("src").send_event(seek)  # timescale would scale times

    def drag(self, seconds, time):
        """Moves the sound to a place within `time`, as a hand moves a tape, and lets it rest there.
        If that is too far, it jumps near the place first."""
        here = self.place("revbuf") / Gst.SECOND
        if abs(seconds - here) > 8 * time:
            self.seek(max(seconds - NEAR if seconds > here else seconds + NEAR, 0))
        if self.wanted is not None:
            self.wanted = seconds  # the seek would undo a scrub
        else:
            self["revbuf"].emit("scrub", *(round(it * Gst.SECOND) for it in (seconds, time)))

    def position(self):
        """Returns the position of the audible sound in the file, in seconds: the position that
        revbuf had before the delay to the sink. Must be called regularly."""
        if self.wanted is not None:
            self.seek(self.wanted)
        change, state, _ = self.bin.get_state(0)
        here, self.here = self.here, self.place("revbuf")
        is_dry = state == Gst.State.PLAYING and self.speed() != 0 and here == self.here
        self.wait(change == Gst.StateChangeReturn.ASYNC or is_dry)
        if change == Gst.StateChangeReturn.SUCCESS and state == Gst.State.PLAYING:
            now = self.bin.get_current_running_time()
            self.past.append((now, self.here / Gst.SECOND))
            while len(self.past) > 1 and self.past[1][0] <= now - self.delay():
                self.past.popleft()
        return self.past[0][1]

    def place(self, name):
        return self[name].get_static_pad("src").query_position(Gst.Format.TIME)[1]

    def delay(self):
        """Returns the delay from revbuf to the sink in ns: latency of timescale, queued sound."""
        timescale, latency = self["timescale"], Gst.Query.new_latency()
        timescale.get_static_pad("src").query(latency)
        way = self.place("timescale") - self.bin.query_position(Gst.Format.TIME)[1]
        late = latency.parse_latency()[1] * timescale.get_property("factor")
        return way / (self.speed() or 1) + late

    def speed(self):
        return self["revbuf"].get_property("current-speed")

    def wait(self, is_dry):
        """Counts the calls during which no new sound came, and gives the file up after many.
        Some files make GStreamer read the same bytes indefinitely."""
        self.dry = self.dry + 1 if is_dry and not self.ended else 0
        if self.dry != PATIENCE:
            return
        # a thread of the source never ends, so stopping it would never return
        stuck, self.ended = self["source"], True
        self.bin.remove(stuck)
        threading.Thread(target=stuck.set_state, args=(Gst.State.NULL,), daemon=True).start()
        self.bin.add(Gst.parse_launch(SOURCE))
        self.connect()
        self.bin.set_state(Gst.State.NULL)
        self.on_end(False)
        stuck = "GStreamer has found nothing more in this file for 10 s"
        self.on_error(f"{stuck}; convert it into another type first.")

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.WARNING:
            self.on_error(sentence(message.parse_warning()[0]), True)
        elif message.type in (Gst.MessageType.EOS, Gst.MessageType.ERROR):
            self.ended = True
            self.on_end(message.type == Gst.MessageType.EOS)
        if message.type == Gst.MessageType.ERROR:
            self.bin.set_state(Gst.State.NULL)
            self.on_error(sentence(message.parse_error()[0]))
