#!/usr/bin/python3
# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: long_file.py FILE [no-webcodecs]

Opens a file of an hour with the page in headless Chromium, and plays it at once. Prints when it is
heard and decoded, the longest task of the page's thread (Chromium counts from 50 ms), and the
memory of the page's process in MB: its proportional share (PSS). The second argument takes
WebCodecs from the page."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/web"))
from conftest import chromium, serving  # noqa: E402

PREPARE = """window.longest = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
}).observe({ type: "longtask" });
const hear = document.querySelector("retrograde-hear");
const wait = () => new Promise((resolve) => { setTimeout(resolve, 5); });
document.querySelector(".file input").addEventListener("change", async () => {
  const start = performance.now();
  window.times = {};
  window.longest = 0;
  while (!hear.player) await wait();
  hear.player.addEventListener("peaks", ({ detail }) => {
    if (detail.loaded === 1) window.times.decoded = performance.now() - start;
  });
  hear.querySelector(".play").click();
  const { context } = hear.player.node, meter = new AnalyserNode(context), samples = new Float32Array(2048);
  hear.player.node.connect(meter);
  while (Math.max(...samples) < 1e-3) {
    await wait();
    meter.getFloatTimeDomainData(samples);
  }
  window.times.heard = performance.now() - start;
}, true);"""
DECODED = "const done = arguments[0]; const look = () => (window.times.decoded && window.times.heard ? done([window.times, window.longest]) : setTimeout(look, 100)); look();"


def memory_mb() -> float:
    """The largest renderer's share, which is that of the page."""
    shares = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                words = (process / "smaps_rollup").read_text().split()
                shares.append(int(words[words.index("Pss:") + 1]) / 1024)
        except (FileNotFoundError, PermissionError, ProcessLookupError):
            continue
    return max(shares)


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["no-webcodecs"]):
        sys.exit(__doc__)
    subprocess.run([ROOT / "scripts/make-web.sh"], check=True)
    with serving(ROOT / "build/web") as address, chromium() as driver:
        driver.set_script_timeout(600)
        if len(sys.argv) == 3:
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.AudioDecoder"})
        driver.get(f"{address}/index.html")
        driver.execute_script(PREPARE)
        driver.find_element("css selector", ".file input").send_keys(str(Path(sys.argv[1]).resolve()))
        times, longest = driver.execute_async_script(DECODED)
        task = f"{longest:.0f} ms" if longest > 0 else "under 50 ms"
        print(f"heard after {times['heard'] / 1000:.1f} s, decoded after {times['decoded'] / 1000:.1f} s, longest task {task}, {memory_mb():.0f} MB")


if __name__ == "__main__":
    main()
