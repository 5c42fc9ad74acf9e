# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: window_backward.py FILE SECONDS

Opens FILE, whose duration is SECONDS, in the window's player, pauses at the beginning, and then
plays backward from the end. Prints the number of bytes that have arrived at the sink."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "launch-examples/window"))
import gi  # noqa: E402

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

Gst.init([])
import sound  # noqa: E402

path, seconds = Path(sys.argv[1]), float(sys.argv[2])
loop, heard = GLib.MainLoop(), []
player = sound.Player("fakesink name=heard signal-handoffs=true")
player.on_end, player.on_error = lambda _: loop.quit(), sys.exit
player.open(path, 2)
player.play(False)
player.bin.get_state(60 * Gst.SECOND)
player["revbuf"].set_property("direction", 1)
player["heard"].connect("handoff", lambda _sink, buffer, _pad: heard.append(buffer.get_size()))
player.seek(seconds)
player.play(True)
loop.run()
player.bin.set_state(Gst.State.NULL)
print(sum(heard))
