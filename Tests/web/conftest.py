# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import functools
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/examples"))


@pytest.fixture(scope="session")
def web():
    """The folder that `make web` makes."""
    subprocess.run([ROOT / "scripts/make-web.sh"], check=True)
    return ROOT / "build/web"


@pytest.fixture(scope="session")
def plugin():
    subprocess.run(["make", "-s", "-C", ROOT, "build"], check=True)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def server(web):
    """The address of that folder on a server of this process."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=web)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
