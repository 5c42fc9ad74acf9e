#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: dbus-run-session -- window_remote.py HOME FILE FILE

Controls the window with two files over D-Bus, as media keys do. Prints what it tells, as JSON."""

import json
import sys

from gi.repository import Gio, GLib
from windowhand import Hand, display, until

NAME, PATH = "org.mpris.MediaPlayer2", "/org/mpris/MediaPlayer2"


class Remote:
    def __init__(self, process):
        self.bus, self.changes = Gio.bus_get_sync(Gio.BusType.SESSION), []
        self.owner = f"{NAME}.retrograde.instance{process.pid}"
        properties = ("org.freedesktop.DBus.Properties", "PropertiesChanged", PATH)
        self.bus.signal_subscribe(None, *properties, None, Gio.DBusSignalFlags.NONE, self.on_change)

    def on_change(self, *signal):
        self.changes += signal[5].unpack()[1]

    def changed(self):
        """Returns the names of properties that have changed since the beginning."""
        while GLib.MainContext.default().iteration(False):
            pass
        return set(self.changes)

    def call(self, method, *arguments, form="()", interface=f"{NAME}.Player"):
        given = GLib.Variant(form, arguments)
        return self.bus.call_sync(self.owner, PATH, interface, method, given, None, 0, 60_000).unpack()

    def get(self, name, interface=f"{NAME}.Player"):
        return self.call("Get", interface, name, form="(ss)", interface="org.freedesktop.DBus.Properties")[0]

    def title(self):
        try:
            return self.get("Metadata").get("xesam:title")
        except GLib.Error:  # it is not on the bus yet
            return None

    def until(self, name, value):
        until(lambda: self.get(name) == value, f"{name} is {value}")


with display():
    home, *files = sys.argv[1:]
    hand = Hand("--sink=fakesink sync=true", *files, home=home)
    remote = Remote(hand.process)
    until(remote.title, "it is on the bus")
    until(lambda: remote.get("CanGoNext"), "both files are open")
    told = {"identity": remote.get("Identity", NAME), "first": remote.get("Metadata")}
    told["stopped"] = [remote.get("PlaybackStatus"), remote.get("Position"), remote.get("CanGoPrevious")]
    remote.call("Seek", 2_000_000, form="(x)")
    remote.until("Position", 2_000_000)
    rate = ("org.mpris.MediaPlayer2.Player", "Rate", GLib.Variant("d", 0.5))
    remote.call("Set", *rate, form="(ssv)", interface="org.freedesktop.DBus.Properties")
    remote.until("Rate", 0.5)
    remote.call("PlayPause")
    remote.until("PlaybackStatus", "Playing")
    hand.find("Pause", "push button")
    until(lambda: remote.get("Position") > 2_000_000, "it plays on")
    remote.call("PlayPause")
    remote.until("PlaybackStatus", "Paused")
    remote.call("Next")
    until(lambda: remote.title() != told["first"]["xesam:title"], "it is the next file")
    remote.until("PlaybackStatus", "Playing")
    told["second"] = [remote.title(), remote.get("CanGoNext"), remote.get("CanGoPrevious")]
    remote.call("Previous")
    until(lambda: remote.title() == told["first"]["xesam:title"], "it is the previous file")
    until(lambda: "Metadata" in remote.changed(), "it tells of the other file")
    told["changed"] = sorted(remote.changed())
    remote.call("Quit", interface=NAME)
    told["status"] = hand.process.wait(60)
    print(json.dumps(told))
