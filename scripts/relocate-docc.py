#!/usr/bin/python3
# Retrograde
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: relocate-docc.py FOLDER …

Makes the pages of docc work at any address: replaces the absolute address of their folder, which
docc writes into each page, by a relative one. Also adds a header with a link to the surrounding
site."""

import re
import sys
from pathlib import Path


# docc changes pages without loading them, so the address of the link is computed at each click.
HEADER = (
    '<template id="custom-header"><p style="margin: 0; padding: 0.6rem 1.4rem; font: 1rem system-ui, sans-serif">'
    """<a href="{up}../index.html" onclick="this.href = baseUrl + '../index.html'" style="color: inherit">Retrograde: all pages</a>"""
    "</p></template>"
)


def relocate(page: Path, folder: Path) -> None:
    up = "../" * (len(page.relative_to(folder).parts) - 1) or "./"
    text = page.read_text()
    text = re.sub(rf'(href|src)="/{folder.name}/', rf'\1="{up}', text)
    base = f'var baseUrl = new URL("{up}", location.href).pathname'
    text = text.replace(f'var baseUrl = "/{folder.name}/"', base)
    page.write_text(re.sub(r"<body[^>]*>", lambda body: body[0] + HEADER.format(up=up), text, count=1))


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for folder in map(Path, sys.argv[1:]):
        for page in folder.rglob("*.html"):
            relocate(page, folder)


if __name__ == "__main__":
    main()
