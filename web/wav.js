// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

import { rounded } from "./pieces.js";

/** Number of frames after which the browser is given samples, which it may move to a disk. */
const PART_FRAMES = 1 << 18;

/** A WAV file of 16 bits, which grows. */
export class Wav {
  #parts = [];
  #samples;
  #used = 0;
  frames = 0;

  constructor({ sampleRate, channelCount }) {
    Object.assign(this, { sampleRate, channelCount });
    this.#samples = new Int16Array(PART_FRAMES * channelCount);
  }

  /** Adds the first `frames` frames of planes of Float32. */
  add(planes, frames) {
    if (this.#used + frames > PART_FRAMES) this.#give();
    planes.forEach((plane, channel) => {
      const numbers = rounded(plane.subarray(0, frames));
      for (let frame = 0; frame < frames; frame += 1) {
        this.#samples[(this.#used + frame) * this.channelCount + channel] = numbers[frame];
      }
    });
    this.#used += frames;
    this.frames += frames;
  }

  #give() {
    this.#parts.push(new Blob([this.#samples.subarray(0, this.#used * this.channelCount)]));
    this.#used = 0;
  }

  file() {
    this.#give();
    const [align, rate] = [2 * this.channelCount, this.sampleRate];
    const bytes = align * this.frames;
    const header = new DataView(new ArrayBuffer(44));
    const word = (at, text) => [...text].forEach((letter, index) => header.setUint8(at + index, letter.charCodeAt(0)));
    const number = (at, value) => header.setUint32(at, Math.min(value, 0xffffffff), true);
    word(0, "RIFF");
    number(4, 36 + bytes);
    word(8, "WAVEfmt ");
    number(16, 16);
    header.setUint16(20, 1, true);
    header.setUint16(22, this.channelCount, true);
    number(24, rate);
    number(28, rate * align);
    header.setUint16(32, align, true);
    header.setUint16(34, 16, true);
    word(36, "data");
    number(40, bytes);
    return new Blob([header, ...this.#parts], { type: "audio/wav" });
  }
}
