#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: dbus-run-session -- drive_full_disk.py FOLDER

Exports a file from the window of launch-examples, while full-disk.so in FOLDER simulates a disk
that is full after 64 KiB. Prints the message that the window shows. The sound is song.flac in
FOLDER."""

import sys
from pathlib import Path

from windowhand import Hand, display

if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve()
    with display():
        hand = Hand("--sink=fakesink sync=true", folder / "song.flac", home=folder / "home", LD_PRELOAD=str(folder / "full-disk.so"))
        hand.find("Play A title & more", "push button")
        hand.press("Export the sound as it plays")
        hand.accept("Export", folder / "full.wav")
        print(hand.text(".*the disk is full.*"))
        hand.close()
