# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later

import functools
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/examples"))


@pytest.fixture(scope="session")
def web():
    """Runs `make web`, and returns the folder that it creates."""
    subprocess.run([ROOT / "scripts/make-web.sh"], check=True)
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
def plugin():
    subprocess.run(["make", "-s", "-C", ROOT, "build"], check=True)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def serving(folder):
    """Serves a folder from this process while the block runs. Yields the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def server(web):
    with serving(web) as address:
        yield address


@pytest.fixture(scope="session")
def site_server(site):
    with serving(site.parents[1]) as address:
        yield f"{address}/a/site"


@contextmanager
def chromium():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--window-size=1000,900"):
        options.add_argument(argument)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(60)
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="session")
def browser():
    with chromium() as driver:
        yield driver
