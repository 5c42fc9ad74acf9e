# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulates another user of a shared folder. This user replaces each temporary file by a link as
soon as the file appears. usage: exchange_part.py FOLDER VICTIM

Prints "ready" when it begins to watch, and ends when its parent ends."""

import ctypes
import os
import struct
import sys

IN_CREATE = 0x100
EVENT = struct.Struct("iIII")

folder, victim = (os.fsencode(word) for word in sys.argv[1:])
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init()
assert libc.inotify_add_watch(watch, folder, IN_CREATE) >= 0
parent = os.getppid()
os.set_blocking(watch, False)
print("ready", flush=True)
# The loop does not sleep, because the tool creates and renames the file quickly.
while os.getppid() == parent:
    try:
        events = os.read(watch, 4096)
    except BlockingIOError:
        continue
    while events:
        _, _, _, length = EVENT.unpack_from(events)
        name = events[EVENT.size : EVENT.size + length].rstrip(b"\0")
        events = events[EVENT.size + length :]
        if b".part-" not in name:
            continue
        for _ in range(2000):
            try:
                os.unlink(folder + b"/" + name)
            except FileNotFoundError:
                pass
            try:
                os.symlink(victim, folder + b"/" + name)
                break
            except FileExistsError:
                pass
