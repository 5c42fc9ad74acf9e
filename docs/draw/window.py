#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes the screenshots docs/pictures/window-*.png: the player with a window, in the light and the
dark style, and as narrow as a phone.

With sizes as arguments (900x700 …), takes screenshots of these sizes instead, light and dark, and
writes them to the folder PICTURES."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from drawing import ENVIRONMENT, PICTURES, ROOT
from PIL import Image

MEDIA = ROOT / "launch-examples/media"
TAGS = {
    "sample.flac": ("Every sound backwards", "Melody and a voice"),
    "speech.wav": ("Never odd or even", "eSpeak NG"),
    "surround.flac": ("", ""),
    "sample.mp3": ("", ""),
}
SHOTS = {"window-light": ((960, 860), "light"), "window-dark": ((960, 860), "dark"), "window-phone": ((400, 760), "light")}


def main() -> None:
    if "OWN_BUS" not in os.environ:  # restarts itself with a D-Bus session of its own
        command = ["dbus-run-session", "--", sys.executable, *sys.argv]
        sys.exit(subprocess.run(command, env=ENVIRONMENT | {"OWN_BUS": "1"}).returncode)
    sys.path.insert(0, str(ROOT / "Tests/examples"))
    from windowhand import Hand, display

    shots = SHOTS
    if sys.argv[1:]:
        asked = [(size, scheme) for size in sys.argv[1:] for scheme in ("light", "dark")]
        shots = {f"window-{size}-{scheme}": (tuple(map(int, size.split("x"))), scheme) for size, scheme in asked}
    with tempfile.TemporaryDirectory() as folder, display():
        files = list(make_files(Path(folder)))
        for name, (size, scheme) in shots.items():
            hand = Hand("--sink=fakesink sync=true", *files, home=folder, size=size, scheme=scheme)
            take(hand, Path(folder, "shot.png"))
            with Image.open(Path(folder, "shot.png")) as image:
                image.convert("RGB").quantize(200, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def make_files(folder):
    for name, (title, artist) in TAGS.items():
        tags = ["-metadata", f"title={title}", "-metadata", f"artist={artist}"]
        subprocess.run(["ffmpeg", "-v", "error", "-i", MEDIA / name, "-c", "copy", *tags, folder / name], check=True)
        yield folder / name


def take(hand, path):
    """Brings the window to the state for the screenshot: in the middle of the file, with a loop."""
    wave = hand.find("Waveform")
    hand.find("0:00.0 / .*", "label")
    hand.set("Speed", 0.75)
    hand.drag(wave, (0.3, 0.04), (0.5, 0.04), (0.7, 0.04))
    hand.release()
    hand.find("Repeat", "label")
    hand.drag(wave, (0.55, 0.7), (0.55, 0.7))
    hand.release()
    hand.press("Play")
    hand.find("Pause", "push button")
    hand.screenshot(path)
    hand.close()


if __name__ == "__main__":
    main()
