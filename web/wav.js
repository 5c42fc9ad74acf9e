// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// WAV files of any length: read in pieces when they're needed, and written.

import { rounded } from "./pieces.js";

const PIECE_SECONDS = 10;
/** After this number of chunks without samples, a file is no WAV. */
const MOST_CHUNKS = 100;
/** From here on, a length stands for one that a program did not know when it wrote into a pipe. */
const UNKNOWN_BYTES = 0x7f000000;
/** Sample rates that every browser has for its output. */
const [LEAST_RATE, MOST_RATE] = [8000, 96000];
const MOST_CHANNELS = 32;
/** How a sample is read, by the format's number (1: integers, 3: floating point) and its bits. */
const READ = {
  "1/8": (view, at) => (view.getUint8(at) - 128) / 2 ** 7,
  "1/16": (view, at) => view.getInt16(at, true) / 2 ** 15,
  "1/24": (view, at) => (view.getInt8(at + 2) * 2 ** 16 + view.getUint16(at, true)) / 2 ** 23,
  "1/32": (view, at) => view.getInt32(at, true) / 2 ** 31,
  "3/32": (view, at) => view.getFloat32(at, true),
  "3/64": (view, at) => view.getFloat64(at, true),
};

const viewOf = async (file, start, end) => new DataView(await file.slice(start, end).arrayBuffer());
const wordAt = (view, at) => String.fromCharCode(...new Uint8Array(view.buffer, at, 4));

/** Returns what the chunk `fmt ` says, or undefined if its samples cannot be read. */
function formatAt(view) {
  if (view.byteLength < 24) return undefined;
  const number = view.getUint16(8, true);
  const isExtended = number === 0xfffe && view.byteLength >= 34;
  const [channelCount, sampleRate] = [view.getUint16(10, true), view.getUint32(12, true)];
  const [align, bits] = [view.getUint16(20, true), view.getUint16(22, true)];
  const kind = `${isExtended ? view.getUint16(32, true) : number}/${bits}`;
  const isKnown = READ[kind] && channelCount > 0 && channelCount <= MOST_CHANNELS &&
    align === (channelCount * bits) / 8 && sampleRate >= LEAST_RATE && sampleRate <= MOST_RATE;
  return isKnown ? { channelCount, sampleRate, align, kind } : undefined;
}

/** Returns a sound for `Retrograde.player()` that is read from a WAV file while it plays, or undefined
 * if the file is no WAV, or has no PCM. If it is cut off, `stated` is the number of frames that it should
 * have. */
export async function soundOfWav(file) {
  const riff = await viewOf(file, 0, 12);
  if (riff.byteLength < 12 || wordAt(riff, 0) !== "RIFF" || wordAt(riff, 8) !== "WAVE") return undefined;
  let format;
  for (let [place, count] = [12, 0]; place + 8 <= file.size && count < MOST_CHUNKS; count += 1) {
    const view = await viewOf(file, place, place + 34);
    const [word, bytes] = [wordAt(view, 0), view.getUint32(4, true)];
    place += 8;
    if (word === "fmt ") format = formatAt(view);
    if (word === "data") {
      const { align, sampleRate } = format ?? {};
      const frames = Math.floor(Math.min(bytes, file.size - place) / align);
      const stated = bytes < UNKNOWN_BYTES ? Math.floor(bytes / align) : frames;
      return frames > 0 ? { ...format, frames, stated, pieceFrames: PIECE_SECONDS * sampleRate, wav: { file, place } } : undefined;
    }
    place += bytes + (bytes & 1);
  }
  return undefined;
}

/** Reads a piece of such a sound. Returns its planes of Float32. */
export async function wavPiece({ channelCount, frames, pieceFrames, align, kind, wav: { file, place } }, index) {
  const first = index * pieceFrames;
  const count = Math.min(pieceFrames, frames - first);
  const view = await viewOf(file, place + first * align, place + (first + count) * align);
  const read = READ[kind];
  const planes = Array.from({ length: channelCount }, (_, channel) => {
    const plane = new Float32Array(count);
    for (let frame = 0, at = (channel * align) / channelCount; frame < count; frame += 1, at += align) plane[frame] = read(view, at);
    return plane;
  });
  return { planes, damaged: 0 };
}

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
