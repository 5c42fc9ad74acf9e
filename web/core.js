// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// A player for a sound in memory, which calls the WebAssembly module. It uses no functions of a
// browser, so it also runs in a worker or in Node.js.

import {
  checkedName, checkedSound, FORMANTS, INTERPOLATIONS, LOOPS, renderingWith, settingsWith, WINDOWS,
} from "./checks.js";
import { Pieces } from "./pieces.js";

/** Plays a sound block by block, in either direction, with a loop and at any speed and pitch. */
export class MemoryPlayer {
  #core;
  #player;
  #pieces;
  /** Number of frames that the module waits for. */
  #wanted = 0;

  /**
   * @param {WebAssembly.Module} module `retrograde.wasm`, compiled
   * @param {{sampleRate: number, channels: Float32Array[]} | Pieces} sound planes of equal length,
   *   which are read during playback, and never changed
   */
  constructor(module, sound) {
    this.#pieces = sound instanceof Pieces ? sound : Pieces.of(checkedSound(sound));
    const { sampleRate, channelCount, frames } = this.#pieces;
    this.#core = new WebAssembly.Instance(module, {}).exports;
    this.#core._initialize();
    this.#player = this.#core.player_new(sampleRate, channelCount, frames);
    if (this.#player === 0) throw new RangeError("There is not enough memory for a player: use a shorter sound.");
  }

  #done(status) {
    if (status !== 0) throw new RangeError("The values are out of range, or there is not enough memory: use other values, or a shorter sound.");
  }

  /** Sets speed and pitch; see `ScaleSettings` in retrograde.d.ts. A new window or interpolation
   * takes effect at the next seek. */
  scale(settings) {
    const {
      speed, keepPitch, semitones, formants, formantSemitones, window, interpolation, quality,
    } = settingsWith(settings);
    this.#done(
      this.#core.player_scale(
        this.#player, 1 / speed, keepPitch ? 1 : 0, semitones,
        FORMANTS[formants], formantSemitones, WINDOWS[window], INTERPOLATIONS[interpolation], quality));
  }

  /** Seeks to a frame of the sound. */
  seek(frame) {
    this.#wanted = 0;
    this.#done(this.#core.player_seek(this.#player, frame));
  }

  /** Sets the direction: frame n is followed by n + 1, or by n - 1 if `isBackward` is true. */
  turn(isBackward) {
    this.#done(this.#core.player_turn(this.#player, isBackward ? 1 : 0));
  }

  /** Loops between two frames; -1 means the beginning or the end of the sound. */
  loop(mode, start = -1, stop = -1) {
    this.#done(this.#core.player_loop(this.#player, LOOPS[checkedName(mode, LOOPS, "mode")], start, stop));
  }

  /** Index of the frame in the sound with which the next block begins. */
  get position() {
    return this.#core.player_position(this.#player);
  }

  /** Whether playback is backwards. A ping-pong loop changes the direction. */
  get isBackward() {
    return this.#core.player_is_backward(this.#player) !== 0;
  }

  /** Computes the next block, and returns its number of frames: at most 1024, 0 at the end, and -1
   * while the next piece of the sound is not there. `copyTo` copies the block. */
  read() {
    const { player_read: read, player_ended: hasEnded, player_next: next } = this.#core;
    for (;;) {
      const frames = read(this.#player);
      if (frames > 0 || hasEnded(this.#player)) return frames;
      this.#wanted ||= next(this.#player);
      if (this.#wanted > 0 && !this.#feed()) return -1;
    }
  }

  /** Returns whether the wanted frames are there. */
  #feed() {
    const first = this.#core.player_first(this.#player);
    if (this.#pieces.missing(first, this.#wanted) >= 0) return false;
    for (let channel = 0; channel < this.#pieces.channelCount; channel += 1) {
      const address = this.#core.player_input(this.#player, channel);
      this.#pieces.copy(channel, first, new Float32Array(this.#core.memory.buffer, address, this.#wanted));
    }
    this.#core.player_feed(this.#player);
    this.#wanted = 0;
    return true;
  }

  /** Copies the last block, of `frames` frames, to `planes` from their index `offset` on. */
  copyTo(planes, frames, offset = 0) {
    planes.forEach((samples, channel) => {
      const address = this.#core.player_output(this.#player, channel);
      samples.set(new Float32Array(this.#core.memory.buffer, address, frames), offset);
    });
  }

  /** Frees the memory of the player, which must not be used afterwards. */
  close() {
    this.#core.player_free(this.#player);
    this.#player = 0;
  }
}

/**
 * Reverses or scales a whole sound.
 *
 * @returns {{sampleRate: number, channels: Float32Array[]}} floor(n / speed) frames
 */
export function render(module, sound, asked = {}) {
  const { reverse, ...settings } = renderingWith(asked);
  const player = new MemoryPlayer(module, sound);
  player.scale(settings);
  player.turn(reverse);
  if (reverse) player.seek(sound.channels[0].length);
  const most = Math.ceil(sound.channels[0].length / settings.speed) + 1;
  const channels = sound.channels.map(() => new Float32Array(most));
  let made = 0;
  for (let frames = player.read(); frames > 0; frames = player.read()) {
    player.copyTo(channels, frames, made);
    made += frames;
  }
  player.close();
  return { sampleRate: sound.sampleRate, channels: channels.map((plane) => plane.subarray(0, made)) };
}
