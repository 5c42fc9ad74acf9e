# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The hand on the tape: the keys J, K and L, steps, and drags in the waveform."""

import math

from gi.repository import Gdk, GLib, Gtk

SIGNS = {"j": -1, "k": 0, "l": 1}
MOST = 8  # the highest speed of revbuf
MODIFIERS = Gdk.ModifierType.CONTROL_MASK | Gdk.ModifierType.ALT_MASK | Gdk.ModifierType.SHIFT_MASK


class Tape:
    """Moves the sound of a window with a player, whose element revbuf has the speed."""

    def __init__(self, window):
        self.window, self.revbuf = window, window.player["revbuf"]
        self.held, self.dragged, self.before = set(), None, 1
        keys = Gtk.EventControllerKey(propagation_phase="capture")
        keys.connect("key-pressed", lambda _, key, _code, state: self.press(key, state))
        keys.connect("key-released", lambda _, key, *_state: self.release(Gdk.keyval_name(key)))
        window.add_controller(keys)

    def press(self, key, state):
        name = Gdk.keyval_name(key)
        is_typed = isinstance(self.window.get_focus(), Gtk.Text)
        if name not in SIGNS or state & MODIFIERS or is_typed:
            return False
        if self.window.row and name not in self.held:  # a held key repeats
            self.shuttle(SIGNS[name], name != "k" and "k" in self.held)
        self.held.add(name)
        return True

    def release(self, name):
        self.held.discard(name)
        if name in SIGNS and "k" in self.held:
            self.window.play.set_active(False)

    def shuttle(self, sign, is_slow):
        """Plays in a direction: at speed 1, or twice as fast if it does already. 0 pauses."""
        play, ways = self.window.play, self.window.ways
        speed = self.revbuf.get_property("speed")
        is_faster = play.get_active() and speed * sign > 0
        speed = math.copysign(min(abs(speed) * 2, MOST) if is_faster else 1, sign or speed)
        ways[speed > 0].set_active(True)
        self.window.turn(("reverse", "forward")[speed > 0])
        self.revbuf.set_property("speed", speed / 2 if is_slow else speed)
        play.set_active(sign != 0)

    def step(self, seconds):
        self.window.play.set_active(False)
        self.window.scrub(self.window.player.position() + seconds)

    def pace(self):
        """Returns the speed for a label; empty if it is that of the file."""
        speed = abs(self.revbuf.get_property("speed"))
        return f"  × {speed:g}" if speed not in (0, 1) else ""

    def drag(self, seconds, is_end):
        """Follows the hand. When it lets go, what was played before continues."""
        now, player = GLib.get_monotonic_time() / 1e6, self.window.player
        if self.dragged is None:
            self.before = self.revbuf.get_property("speed")
            self.revbuf.set_property("speed", 0)
            player.play(True)
        time = min(max(now - (self.dragged or now), 0.02), 0.2)
        self.dragged = None if is_end else now
        if not is_end:
            return player.drag(seconds, time)
        self.revbuf.set_property("speed", self.before)
        player.play(self.window.play.get_active())
        player.seek(seconds)
