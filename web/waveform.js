// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Draws the waveform of a sound, and handles drags of the playhead and the loop markers.

/** Returns the lowest and the highest sample of all channels in each of `count` equal parts of a
 * sound. */
export function peaksOf({ channels }, count) {
  const frames = channels[0].length;
  const peaks = new Float32Array(2 * count);
  for (let part = 0; part < count; part += 1) {
    const end = Math.floor(((part + 1) * frames) / count);
    let [low, high] = [0, 0];
    for (const samples of channels) {
      for (let frame = Math.floor((part * frames) / count); frame < end; frame += 1) {
        const sample = samples[frame];
        if (sample < low) low = sample;
        if (sample > high) high = sample;
      }
    }
    peaks[2 * part] = low;
    peaks[2 * part + 1] = high;
  }
  return peaks;
}

/** Draws the peaks with the resolution of the screen. */
export function drawPeaks(canvas, peaks) {
  const scale = globalThis.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = Math.max(1, Math.round(canvas.clientHeight * scale));
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(canvas).color;
  const count = peaks.length / 2;
  for (let x = 0; x < width; x += 1) {
    const first = Math.floor((x * count) / width);
    const end = Math.max(first + 1, Math.floor(((x + 1) * count) / width));
    let [low, high] = [0, 0];
    for (let part = first; part < end; part += 1) {
      low = Math.min(low, peaks[2 * part]);
      high = Math.max(high, peaks[2 * part + 1]);
    }
    const top = ((1 - Math.min(high, 1)) * height) / 2;
    const bottom = ((1 - Math.max(low, -1)) * height) / 2;
    pen.fillRect(x, top, 1, Math.max(bottom - top, 1));
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
    (handle.matches("button") ? handle : handle.querySelector("[tabindex]"))?.focus({ preventScroll: true });
    pressed(share(event));
  });
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) moved(share(event));
  });
  handle.addEventListener("lostpointercapture", () => released());
}
