# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lets media keys, headsets and the desktop control the window, over D-Bus by MPRIS."""

import os

from gi.repository import Gio, GLib

NAME, PATH = "org.mpris.MediaPlayer2", "/org/mpris/MediaPlayer2"
TYPES = {
    NAME: {"Identity": "s", "CanQuit": "b", "CanRaise": "b", "HasTrackList": "b"},
    f"{NAME}.Player": {
        "PlaybackStatus": "s", "Metadata": "a{sv}", "Rate": "d", "Position": "x", "CanControl": "b",
        "CanPlay": "b", "CanPause": "b", "CanSeek": "b", "CanGoNext": "b", "CanGoPrevious": "b",
    },
}  # fmt: skip
CALLS = {
    NAME: {"Raise": "", "Quit": ""},
    f"{NAME}.Player": {
        "PlayPause": "", "Play": "", "Pause": "", "Stop": "", "Next": "", "Previous": "",
        "Seek": "<arg type='x'/>", "SetPosition": "<arg type='o'/><arg type='x'/>",
    },
}  # fmt: skip
FORMS = {name: form for types in TYPES.values() for name, form in types.items()}
TOLD = ("PlaybackStatus", "Metadata", "Rate", "CanGoNext", "CanGoPrevious")  # when they change


class Remote:
    def __init__(self, window):
        self.window, self.bus, self.told = window, None, {}
        name, alone = f"{NAME}.retrograde.instance{os.getpid()}", Gio.BusNameOwnerFlags.NONE
        Gio.bus_own_name(Gio.BusType.SESSION, name, alone, self.join)

    def join(self, bus, _name):
        for name, types in TYPES.items():
            calls = [f"<method name='{it}'>{of}</method>" for it, of in CALLS[name].items()]
            access = {"Rate": "readwrite"}
            values = [
                f"<property name='{it}' type='{form}' access='{access.get(it, 'read')}'/>"
                for it, form in types.items()
            ]
            node = f"<node><interface name='{name}'>{''.join(calls + values)}</interface></node>"
            interface = Gio.DBusNodeInfo.new_for_xml(node).interfaces[0]
            bus.register_object(PATH, interface, self.on_call, self.on_get, self.on_set)
        self.bus = bus

    def values(self):
        window, row = self.window, self.window.row
        facts = {"mpris:trackid": GLib.Variant("o", f"{PATH}/{id(row)}")}
        if row:
            facts["mpris:length"] = GLib.Variant("x", round(row.duration * 1e6))
            facts["xesam:title"] = GLib.Variant("s", row.heading)
            facts["xesam:artist"] = GLib.Variant("as", [row.artist])
            facts["xesam:url"] = GLib.Variant("s", row.path.as_uri())
        status = "Playing" if window.play.get_active() else "Paused"
        return dict.fromkeys(FORMS, bool(row)) | {
            "Identity": "Retrograde", "CanQuit": True, "CanRaise": True, "HasTrackList": False,
            "PlaybackStatus": status if row else "Stopped", "Metadata": facts,
            "Rate": window.timescale.get_property("rate"), "CanControl": True,
            "Position": round(window.wave.position * 1e6),
            "CanGoNext": bool(window.neighbour(1)), "CanGoPrevious": bool(window.neighbour(-1)),
        }  # fmt: skip

    def variants(self, names):
        values = self.values()
        return {name: GLib.Variant(FORMS[name], values[name]) for name in names}

    def tell(self):
        """Tells what has changed since the last call. Must be called regularly."""
        now = self.variants(TOLD) if self.bus else {}
        changed = {name: it for name, it in now.items() if it != self.told.get(name)}
        if changed:
            told = GLib.Variant("(sa{sv}as)", (f"{NAME}.Player", changed, []))
            signal = "org.freedesktop.DBus.Properties", "PropertiesChanged"
            self.bus.emit_signal(None, PATH, *signal, told)
        self.told = now

    def on_get(self, _bus, _sender, _path, _interface, name):
        return self.variants([name])[name]

    def on_set(self, _bus, _sender, _path, _interface, _name, rate):
        self.window.timescale.set_property("rate", min(max(rate.get_double(), 0.1), 10))
        return True

    def on_call(self, _bus, _sender, _path, _interface, method, arguments, invocation):
        window, play = self.window, self.window.play
        acts = {
            "Raise": window.present, "Quit": window.close, "PlayPause": window.toggle,
            "Play": lambda: window.row and play.set_active(True),
            "Pause": lambda: play.set_active(False), "Stop": lambda: play.set_active(False),
            "Next": lambda: window.go(1), "Previous": lambda: window.go(-1),
            "Seek": lambda offset: window.scrub(window.wave.position + offset / 1e6),
            "SetPosition": lambda _track, place: window.scrub(place / 1e6),
        }  # fmt: skip
        acts[method](*arguments)
        if arguments:
            place = GLib.Variant("(x)", (self.values()["Position"],))
            self.bus.emit_signal(None, PATH, f"{NAME}.Player", "Seeked", place)
        invocation.return_value(None)
