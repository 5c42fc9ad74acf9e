# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: window_drag.py FILE…

Stands in for a file manager: opens a window from which the FILEs can be dragged. The window stays
open until the process is killed."""

import sys

import gi

gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402


def main(paths):
    Gtk.init()
    window, source = Gtk.Window(title="Files to drag"), Gtk.DragSource()
    uris = "".join(f"{Gio.File.new_for_path(path).get_uri()}\r\n" for path in paths)
    source.set_content(Gdk.ContentProvider.new_for_bytes("text/uri-list", GLib.Bytes.new(uris.encode())))
    window.set_child(Gtk.Label(label="Drag from here", width_request=200, height_request=200))
    window.add_controller(source)
    window.present()
    GLib.MainLoop().run()


main(sys.argv[1:])
