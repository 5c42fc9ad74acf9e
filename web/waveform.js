// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The waveform of a sound with the times below it, which can be zoomed, and drags on it.

import { PEAK_FRAMES } from "./peaks.js";
import { clock } from "./times.js";

/** The waveform is zoomed in until a pixel has this number of frames. */
const LEAST_FRAMES = 16;
/** Peaks that one coarse peak replaces where a pixel has more of them. */
const COARSE = 64;
/** The least distance between two times of the ruler, in pixels. */
const LABEL_PIXELS = 72;
const RULER_PIXELS = 24;
/** Seconds from one time of the ruler to the next. */
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** The lowest and the highest value of peaks `[first, end)`. */
function range(peaks, first, end) {
  let [low, high] = [0, 0];
  for (let index = first; index < end; index += 1) {
    if (peaks[2 * index] < low) low = peaks[2 * index];
    if (peaks[2 * index + 1] > high) high = peaks[2 * index + 1];
  }
  return [low, high];
}

export class Waveform {
  #canvas;
  /** The element that scrolls, and the one in it that is as wide as the whole sound. */
  #scroll;
  #wave;
  #zoom = 1;
  #fine = new Int8Array(2);
  #coarse = new Int8Array(2);
  #duration = 0;
  #drawing;

  /** `zoomed` is called with whether it can be zoomed out and in. */
  constructor(stage, zoomed) {
    this.#canvas = stage.querySelector("canvas");
    this.#scroll = stage.querySelector(".scroll");
    this.#wave = stage.querySelector(".wave");
    this.zoomed = zoomed;
    new ResizeObserver(() => this.zoomBy(1)).observe(stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.#scroll.addEventListener("scroll", () => this.draw());
    this.#scroll.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();  // the browser would zoom the page
      const { left, width } = this.#wave.getBoundingClientRect();
      this.zoomBy(2 ** (-event.deltaY / 200), (event.clientX - left) / width);
    }, { passive: false });
  }

  /** Shows a sound whose peaks are not known yet. */
  open(frames, sampleRate) {
    const count = Math.ceil(frames / PEAK_FRAMES);
    this.#fine = new Int8Array(2 * count);
    this.#coarse = new Int8Array(2 * Math.ceil(count / COARSE));
    this.#duration = frames / sampleRate;
    this.zoomBy(1 / this.#zoom, 0);
  }

  /** Adds peaks from the number `first` on, a multiple of COARSE. */
  add(first, peaks) {
    this.#fine.set(peaks, 2 * first);
    const end = first + peaks.length / 2;
    for (let from = first; from < end; from += COARSE) {
      this.#coarse.set(range(this.#fine, from, Math.min(from + COARSE, end)), (2 * from) / COARSE);
    }
    this.draw();
  }

  /** The visible part of the sound, 0 … 1. */
  get #view() {
    const { scrollLeft, clientWidth } = this.#scroll;
    const start = scrollLeft / (clientWidth * this.#zoom || 1);
    return { start, end: start + 1 / this.#zoom };
  }

  /** Zooms around a place, 0 … 1, or around the middle if that is not visible. */
  zoomBy(factor, place) {
    const { start, end } = this.#view;
    const around = place >= start && place <= end ? place : (start + end) / 2;
    const share = (around - start) / (end - start);
    const most = Math.max((this.#fine.length * PEAK_FRAMES) / (2 * LEAST_FRAMES * this.#scroll.clientWidth), 1);
    this.#zoom = Math.max(Math.min(this.#zoom * factor, most), 1);
    this.#wave.style.width = `${100 * this.#zoom}%`;
    this.#scroll.scrollLeft = (around - share / this.#zoom) * this.#wave.clientWidth;
    this.zoomed({ out: this.#zoom > 1, in: this.#zoom < most });
    this.draw();
  }

  /** Turns the page when the playhead has left it. */
  follow(place, isBackward) {
    const { start, end } = this.#view;
    if (this.#zoom === 1 || (place >= start && place <= end)) return;
    this.#scroll.scrollLeft = (place - (isBackward ? 0.9 : 0.1) / this.#zoom) * this.#wave.clientWidth;
  }

  /** Draws at the next frame of the screen, with its resolution. */
  draw() {
    this.#drawing ??= requestAnimationFrame(() => {
      this.#drawing = undefined;
      const scale = globalThis.devicePixelRatio || 1;
      const width = Math.max(1, Math.round(this.#canvas.clientWidth * scale));
      const height = Math.max(1, Math.round((this.#canvas.clientHeight - RULER_PIXELS) * scale));
      Object.assign(this.#canvas, { width, height: height + Math.round(RULER_PIXELS * scale) });
      const pen = this.#canvas.getContext("2d");
      this.#drawPeaks(pen, width, height);
      this.#drawRuler(pen, width, height, scale);
    });
  }

  #drawPeaks(pen, width, height) {
    const { start, end } = this.#view;
    const isFine = ((end - start) * this.#fine.length) / 2 / width < 2 * COARSE;
    const peaks = isFine ? this.#fine : this.#coarse;
    const count = peaks.length / 2;
    const part = (x) => Math.floor((start + (x / width) * (end - start)) * count);
    pen.fillStyle = getComputedStyle(this.#canvas).color;
    for (let x = 0; x < width; x += 1) {
      const [low, high] = range(peaks, part(x), Math.min(Math.max(part(x) + 1, part(x + 1)), count));
      pen.fillRect(x, ((1 - high / 127) * height) / 2, 1, Math.max(((high - low) / 254) * height, 1));
    }
  }

  #drawRuler(pen, width, height, scale) {
    const { start, end } = this.#view;
    const [from, seconds] = [start * this.#duration, (end - start) * this.#duration];
    if (seconds === 0) return;
    pen.fillStyle = getComputedStyle(this.#canvas).getPropertyValue("--soft") || "#59636e";
    pen.font = `${12 * scale}px system-ui, sans-serif`;
    const step = STEPS.find((one) => (one / seconds) * width >= LABEL_PIXELS * scale) ?? STEPS.at(-1);
    for (let number = Math.ceil(from / step); number * step <= from + seconds; number += 1) {
      const x = ((number * step - from) / seconds) * width;
      pen.fillRect(Math.round(x), height, Math.max(1, Math.round(scale)), 5 * scale);
      const text = clock(number * step, step < 0.1 ? 2 : step < 1 ? 1 : 0);
      const room = pen.measureText(text).width;
      pen.fillText(text, Math.min(Math.max(x - room / 2, 0), width - room), height + 18 * scale);
    }
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
