#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: retrograde-window.py [--sink=ELEMENTS] [FILE…]

A player that changes direction, scrubs, loops and scales while it plays, and writes the output to a file.
FILEs may be folders. ELEMENTS are as for gst-launch-1.0 (default: autoaudiosink)."""

import os
import sys
from pathlib import Path

PACKAGES = "gir1.2-adw-1, gir1.2-gstreamer-1.0, python3-gi and python3-gi-cairo"
try:
    import gi

    for name, version in (("Adw", "1"), ("Gdk", "4.0"), ("Gst", "1.0"), ("Gtk", "4.0")):
        gi.require_version(name, version)
    from gi.repository import Adw, Gdk, Gio, GLib, Gst
    from tool import PROGRAM
    from window import Window
except (ImportError, ValueError) as error:
    sys.exit(f"retrograde-window.py: {error}: install {PACKAGES}")

BUILT = Path(__file__).resolve().parents[2] / "build/gst-plugin"


def main(words):
    options = [word for word in words if word.startswith("-")]
    if any(not word.startswith("--sink=") for word in options):
        sys.exit(__doc__)
    # avdec_mp3 dithers what is loud: it decodes a file another way each time
    os.environ.setdefault("GST_PLUGIN_FEATURE_RANK", "mpg123audiodec:PRIMARY")
    if BUILT.exists():
        os.environ.setdefault("GST_PLUGIN_PATH_1_0", str(BUILT))
    Gst.init([])
    for is_there, problem in (
        (Gst.ElementFactory.find("revbuf"), "GStreamer does not find the plugin: is GST_PLUGIN_PATH_1_0 set?"),
        (PROGRAM, "there is no tool: build it with make tool, or install it."),
        (Gdk.Display.get_default(), "there is no display: run it in a graphical session."),
    ):
        if not is_there:
            sys.exit(f"retrograde-window.py: {problem}")
    sink = options[-1].removeprefix("--sink=") if options else "autoaudiosink"
    try:
        Gst.parse_bin_from_description(sink, False)
    except GLib.Error as error:
        sys.exit(f"retrograde-window.py: {error.message}")
    application = Adw.Application(flags=Gio.ApplicationFlags.NON_UNIQUE)
    files = [word for word in words if word not in options]

    def on_activate(application):
        window = Window(application, sink)
        window.present()
        if files:
            window.add(files)

    application.connect("activate", on_activate)
    return application.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
