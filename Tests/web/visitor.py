# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions that use a page with the player as a visitor does."""

from contextlib import contextmanager
from pathlib import Path

import numpy as np
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

RECORDER = (Path(__file__).parent / "recorder.js").read_text()
RATE = 48000
# After this script, every new context measures its output: LOUDEST returns the peak of the last 0.7
# s.
METER = """const Real = AudioContext;
  window.AudioContext = class extends Real {
    get destination() {
      this.meter ??= new AnalyserNode(this, { fftSize: 32768 });
      this.meter.connect(super.destination);
      window.meter = this.meter;
      return this.meter;
    }
  }"""
LOUDEST = """const samples = new Float32Array(32768);
  window.meter?.getFloatTimeDomainData(samples);
  return Math.max(...samples)"""


@contextmanager
def touched(driver):
    """Emulates a phone with a touch screen while the block runs."""
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def small(driver, selector):
    """Returns the visible elements for `selector` that are less than 44 pixels wide or high. The
    size of a checkbox or radio button is that of its label."""
    return driver.execute_script(
        """return [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility()).filter((one) => {
          const area = one.matches("[type=checkbox], [type=radio]") ? one.closest("label") : one;
          const { width, height } = area.getBoundingClientRect();
          return width < 44 || height < 44;
        }).map((one) => one.outerHTML.slice(0, 80))""",
        selector,
    )


class Page:
    def __init__(self, driver, address):
        self.driver = driver
        driver.execute_script("Storage.prototype.setItem = () => {}")  # the page before keeps nothing when it's left
        driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": address.rpartition("/")[0], "storageTypes": "local_storage"})
        driver.get(address)
        # the output has the sample rate of the files, so the browser does not resample
        driver.execute_script(f"const Real = AudioContext; window.AudioContext = class extends Real {{ constructor(options) {{ super({{ sampleRate: {RATE}, ...options }}) }} }}")

    def find(self, name):
        return self.driver.find_element(By.CSS_SELECTOR, f"retrograde-hear {name}")

    def player(self, expression):
        return self.driver.execute_script(f"return document.querySelector('retrograde-hear').player?.{expression}")

    def set(self, assignment):
        self.driver.execute_script(f"document.querySelector('retrograde-hear').player.{assignment}")

    def until(self, condition, seconds=60):
        return WebDriverWait(self.driver, seconds, 0.05).until(lambda _: condition())

    def open(self, path):
        self.find(".file input").send_keys(str(path))
        self.until(lambda: self.player("frames"))

    def open_name(self):
        """Returns the name of the sound that is selected in the list."""
        return Select(self.find(".sample")).first_selected_option.text

    def drop(self, selector, name, data, kind="", event="drop"):
        """Drops a file on an element. Returns whether the page has handled the event; otherwise,
        the browser would open the file."""
        return self.driver.execute_script(
            """const [selector, name, data, type, event] = arguments, transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(data)], name, { type }));
            return !document.querySelector(selector).dispatchEvent(
              new DragEvent(event, { dataTransfer: transfer, bubbles: true, cancelable: true }))""",
            selector, name, list(data), kind, event,
        )

    def record(self):
        """Records the player's output from now on."""
        self.driver.execute_async_script(
            """const [code, done] = arguments;
            const { node } = document.querySelector("retrograde-hear").player;
            const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
            node.context.audioWorklet.addModule(url).then(() => {
              const recorder = new AudioWorkletNode(node.context, "recorder", { numberOfOutputs: 0 });
              window.recorded = [];
              recorder.port.onmessage = ({ data }) => window.recorded.push(data);
              node.connect(recorder);
              done();
            });""",
            RECORDER,
        )

    def recorded(self):
        """Returns the first channel of the recording."""
        return np.array(self.driver.execute_script("return window.recorded.flatMap(({ planes }) => Array.from(planes[0]))"))
