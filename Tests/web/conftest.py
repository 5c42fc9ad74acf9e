# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import shutil
import subprocess
from pathlib import Path

import pytest
from pages import chromium, serving  # measure/web-speed takes them from here

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def web():
    """Runs `make web`, and returns the folder that it creates. Without package.json above it, the
    Node.js of Debian 12 takes its scripts for scripts of the older kind, without `import`."""
    subprocess.run([ROOT / "scripts/make-web.sh"], check=True)
    (ROOT / "build/package.json").write_text('{"type": "module"}\n')
    return ROOT / "build/web"


@pytest.fixture(scope="session")
def site(web, tmp_path_factory):
    """Creates the site that `make docs` builds, in a subfolder of a server. The reference pages of
    the libraries are left out."""
    folder = tmp_path_factory.mktemp("server") / "a/site"
    shutil.copytree(web, folder / "hear")
    subprocess.run([ROOT / "scripts/make-site.py", folder], check=True)
    return folder


@pytest.fixture(scope="session")
def server(web):
    with serving(web) as address:
        yield address


@pytest.fixture(scope="session")
def site_server(site):
    with serving(site.parents[1]) as address:
        yield f"{address}/a/site"


@pytest.fixture(scope="session")
def browser():
    with chromium() as driver:
        yield driver
