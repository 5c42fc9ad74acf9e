#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: make-offline.py FOLDER PATTERN …

Writes the service worker FOLDER/sw.js, with which the pages work without a network: it caches the
files in FOLDER that match the patterns. The name of its cache is a digest of these files, so
changed files replace the cache."""

import hashlib
import json
import sys
from pathlib import Path

TEMPLATE = Path(__file__).resolve().parents[1] / "web/sw.js"


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    found = {path for pattern in sys.argv[2:] for path in folder.glob(pattern) if path.is_file()}
    files = sorted(path.relative_to(folder).as_posix() for path in found if path.name != "sw.js")
    version = hashlib.sha256()
    for file in files:
        version.update(file.encode() + b"\0" + hashlib.sha256((folder / file).read_bytes()).digest())
    # browsers request index.html by the address of the folder, too
    names = ["./"] + files if "index.html" in files else files
    text = TEMPLATE.read_text().replace("@VERSION@", version.hexdigest()[:16]).replace('["@FILES@"]', json.dumps(names))
    (folder / "sw.js").write_text(text)


if __name__ == "__main__":
    main()
