#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Takes docs/pictures/window.png: the player with a window, as its test drives it."""

import subprocess
import tempfile
from pathlib import Path

from drawing import ENVIRONMENT, PICTURES, ROOT
from PIL import Image

FILES = [ROOT / "launch-examples/media" / name for name in ("sample.flac", "sample.mp3", "speech.wav", "surround.flac")]
GTK = {"GSK_RENDERER": "cairo", "GTK_A11Y": "none", "GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory", "GTK_THEME": "Adwaita"}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        driver = ["/usr/bin/python3", ROOT / "Tests/examples/drive_window.py", *FILES, folder]
        command = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", *driver]
        subprocess.run([str(word) for word in command], env=ENVIRONMENT | GTK, check=True)
        with Image.open(Path(folder, "window.png")) as image:
            image.convert("RGB").quantize(160, dither=Image.Dither.NONE).save(PICTURES / "window.png", optimize=True)


if __name__ == "__main__":
    main()
