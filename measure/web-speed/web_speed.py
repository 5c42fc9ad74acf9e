#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures the WebAssembly module for web pages: its size, and how many times faster than real time
it renders, in node and in a worker of headless Chromium. Prints Markdown."""

import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "Tests/web"))
from conftest import chromium, serving  # noqa: E402

NODE = """import { measure } from "./speed.mjs"; import { render } from "./core.js"; import { readFileSync } from "node:fs";
console.log(JSON.stringify(measure(render, new WebAssembly.Module(readFileSync(new URL("retrograde.wasm", import.meta.url))))));"""
WORKER = """import { measure } from "./speed.mjs"; import { render } from "./core.js";
const bytes = await (await fetch("retrograde.wasm")).arrayBuffer();
postMessage(measure(render, await WebAssembly.compile(bytes)));"""
PAGE = """const done = arguments[0];
new Worker("worker.js", { type: "module" }).onmessage = ({ data }) => done(data);"""


def in_node(folder: Path) -> dict[str, float]:
    (folder / "node.mjs").write_text(NODE)
    return json.loads(subprocess.run(["node", folder / "node.mjs"], check=True, capture_output=True).stdout)


def in_chromium(folder: Path) -> dict[str, float]:
    (folder / "worker.js").write_text(WORKER)
    with serving(folder) as address, chromium() as driver:
        driver.set_script_timeout(600)
        driver.get(f"{address}/index.html")
        return driver.execute_async_script(PAGE)


def main() -> None:
    subprocess.run([ROOT / "scripts/make-web.sh"], check=True)
    module = (ROOT / "build/web/retrograde.wasm").read_bytes()
    print(f"retrograde.wasm: {len(module) / 1e3:.0f} kB, {len(gzip.compress(module, 9)) / 1e3:.0f} kB with gzip\n")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "web")
        shutil.copytree(ROOT / "build/web", folder)
        shutil.copy(HERE / "speed.mjs", folder)
        node, browser = in_node(folder), in_chromium(folder)
    print("| times real time, stereo at 44.1 kHz | node | Chromium |\n| --- | --- | --- |")
    for name in node:
        print(f"| {name} | {node[name]:.0f} | {browser[name]:.0f} |")


if __name__ == "__main__":
    main()
