# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: window_stuck.py STUCK GOOD

Plays STUCK, in which GStreamer never comes to the end, with the window's player, and then GOOD. Prints
the sentences that the window would show."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "launch-examples/window"))
import gi  # noqa: E402

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

Gst.init([])
import sound  # noqa: E402


def main(*paths):
    loop, player = GLib.MainLoop(), sound.Player("fakeaudiosink sync=true")
    player.on_end, player.on_error = lambda _: loop.quit(), print
    GLib.timeout_add(40, lambda: player.position() is not None)
    for path in paths:
        player.open(Path(path).resolve(), 1)
        player.play(True)
        loop.run()
    player.bin.set_state(Gst.State.NULL)
    print("ended")


main(*sys.argv[1:])
