// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/** The samples of a sound, in pieces of `pieceFrames` frames of which some may not be there yet. A
 * piece is an array with a plane for each channel, a Float32Array, or an Int16Array in units of
 * 1 / 32768. */
export class Pieces {
  #pieces = new Map();
  /** The frame of the pieces that is frame 0. */
  #start = 0;

  constructor({ sampleRate, channelCount, frames, pieceFrames = frames }) {
    Object.assign(this, { sampleRate, channelCount, frames, pieceFrames: Math.max(pieceFrames, 1) });
  }

  /** All of a sound, in one piece. */
  static of({ sampleRate, channels }) {
    const pieces = new Pieces({ sampleRate, channelCount: channels.length, frames: channels[0].length });
    pieces.put(0, channels);
    return pieces;
  }

  get count() { return Math.ceil(this.frames / this.pieceFrames); }
  get size() { return this.#pieces.size; }
  indexOf(frame) { return Math.min(Math.floor(frame / this.pieceFrames), Math.max(this.count - 1, 0)); }
  get(index) { return this.#pieces.get(index); }
  has(index) { return this.#pieces.has(index); }
  put(index, planes) { this.#pieces.set(index, planes); }
  /** Frames `[start, stop)` as a sound. It has the pieces that this one will have. */
  part(start, stop) {
    const part = new Pieces({ ...this, frames: stop - start });
    part.#pieces = this.#pieces;
    part.#start = start;
    return part;
  }

  /** Forgets the piece that was put first. */
  dropOldest() { this.#pieces.delete(this.#pieces.keys().next().value); }

  /** Returns the index of the first piece with frames from `first` on that is not there, or -1. */
  missing(first, count) {
    const place = first + this.#start;
    const last = Math.floor((place + count - 1) / this.pieceFrames);
    for (let index = Math.floor(place / this.pieceFrames); index <= last; index += 1) {
      if (!this.has(index)) return index;
    }
    return -1;
  }

  /** Fills `target` with samples of a channel from frame `first` on, all of which must be there. */
  copy(channel, first, target) {
    for (let done = 0; done < target.length;) {
      const place = first + this.#start + done;
      const index = Math.floor(place / this.pieceFrames);
      const start = place - index * this.pieceFrames;
      const some = this.get(index)[channel].subarray(start, start + target.length - done);
      target.set(some, done);
      if (some instanceof Int16Array) {
        for (let frame = done; frame < done + some.length; frame += 1) target[frame] /= 32768;
      }
      done += some.length;
    }
  }
}

/** The samples of a Float32Array as an Int16Array in units of 1 / 32768. */
export function rounded(samples) {
  const numbers = new Int16Array(samples.length);
  for (let frame = 0; frame < samples.length; frame += 1) {
    numbers[frame] = Math.max(-32768, Math.min(32767, Math.round(32768 * samples[frame])));
  }
  return numbers;
}
