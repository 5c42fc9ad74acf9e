#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: relocate-docc.py FOLDER …

Makes pages of docc work at any address. docc writes the address of its folder into each page, as
seen from the root of the server; here it becomes relative to the page."""

import re
import sys
from pathlib import Path


def relocate(page: Path, folder: Path) -> None:
    up = "../" * (len(page.relative_to(folder).parts) - 1) or "./"
    text = page.read_text()
    text = re.sub(rf'(href|src)="/{folder.name}/', rf'\1="{up}', text)
    base = f'var baseUrl = new URL("{up}", location.href).pathname'
    page.write_text(text.replace(f'var baseUrl = "/{folder.name}/"', base))


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for folder in map(Path, sys.argv[1:]):
        for page in folder.rglob("*.html"):
            relocate(page, folder)


if __name__ == "__main__":
    main()
