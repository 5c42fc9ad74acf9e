// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Draws the waveform of a sound and the times below it, and handles drags of the playhead and the
// loop markers.

import { clock } from "./times.js";

/** The least distance between two times of the ruler, in pixels. */
const LABEL_PIXELS = 72;
const RULER_PIXELS = 24;
/** Seconds from one time of the ruler to the next. */
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** Draws `[start, end)` of the waveform, as shares of it, with the resolution of the screen, and a
 * ruler for a sound of `duration` seconds. `peaks` has a lowest and a highest value for each part, in
 * units of 1 / 127. */
export function drawWave(canvas, peaks, duration, { start, end }) {
  const scale = globalThis.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = Math.max(1, Math.round((canvas.clientHeight - RULER_PIXELS) * scale));
  Object.assign(canvas, { width, height: height + Math.round(RULER_PIXELS * scale) });
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  pen.fillStyle = style.color;
  const count = peaks.length / 2;
  const part = (x) => Math.floor((start + (x / width) * (end - start)) * count);
  for (let x = 0; x < width; x += 1) {
    const last = Math.min(Math.max(part(x) + 1, part(x + 1)), count);
    let [low, high] = [0, 0];
    for (let index = part(x); index < last; index += 1) {
      if (peaks[2 * index] < low) low = peaks[2 * index];
      if (peaks[2 * index + 1] > high) high = peaks[2 * index + 1];
    }
    const top = ((1 - high / 127) * height) / 2;
    pen.fillRect(x, top, 1, Math.max(((high - low) / 254) * height, 1));
  }
  pen.fillStyle = style.getPropertyValue("--soft") || "#59636e";
  pen.font = `${12 * scale}px system-ui, sans-serif`;
  const seconds = (end - start) * duration;
  const step = STEPS.find((one) => (one / seconds) * width >= LABEL_PIXELS * scale) ?? STEPS.at(-1);
  for (let number = Math.ceil((start * duration) / step); number * step <= end * duration && seconds > 0; number += 1) {
    const x = ((number * step - start * duration) / seconds) * width;
    pen.fillRect(Math.round(x), height, Math.max(1, Math.round(scale)), 5 * scale);
    const text = clock(number * step, step < 0.1 ? 2 : step < 1 ? 1 : 0);
    const room = pen.measureText(text).width;
    pen.fillText(text, Math.min(Math.max(x - room / 2, 0), width - room), height + 18 * scale);
  }
}

/** Calls `moved` with the horizontal position in `area`, 0 … 1, while a pointer presses or drags
 * `handle`, `pressed` instead of it at the beginning, and `released` at the end. */
export function onDrag(handle, area, moved, { pressed = moved, released = () => {} } = {}) {
  const share = (event) => {
    const { left, width } = area.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - left) / width, 0), 1);
  };
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    handle.setPointerCapture(event.pointerId);
    // a press on the waveform focuses the playhead, so that the keys control it
    (handle.matches("[tabindex]") ? handle : handle.querySelector(".playhead"))?.focus({ preventScroll: true });
    pressed(share(event));
  });
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) moved(share(event));
  });
  handle.addEventListener("lostpointercapture", () => released());
}
