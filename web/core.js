// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The WebAssembly module in one thread: a player for a sound in memory. It does not use browser
// functions, so it runs in a worker and in node.

import {
  checkedName, checkedSound, FORMANTS, INTERPOLATIONS, LOOPS, renderingWith, settingsWith, WINDOWS,
} from "./checks.js";

/** Plays a sound block by block: reversed, looped or scaled. */
export class MemoryPlayer {
  #core;
  #player;
  #channels;

  /**
   * @param {WebAssembly.Module} module `retrograde.wasm`, compiled
   * @param {{sampleRate: number, channels: Float32Array[]}} sound planes of equal length;
   *   they are read while it plays, and never changed
   */
  constructor(module, sound) {
    const { sampleRate, channels } = checkedSound(sound);
    this.#core = new WebAssembly.Instance(module, {}).exports;
    this.#core._initialize();
    this.#channels = channels;
    this.#player = this.#core.player_new(sampleRate, channels.length, channels[0].length);
    if (this.#player === 0) throw new RangeError("There is not enough memory for a player: use a shorter sound.");
  }

  #done(status) {
    if (status !== 0) throw new RangeError("The values are out of range, or there is not enough memory: use other values, or a shorter sound.");
  }

  /** Sets speed and pitch; see `DEFAULTS` in checks.js. The window and the interpolation take effect at
   * the next seek. */
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
    this.#done(this.#core.player_seek(this.#player, frame));
  }

  /** Sets the direction: the frame after n is n - 1 or n + 1. */
  turn(isBackward) {
    this.#done(this.#core.player_turn(this.#player, isBackward ? 1 : 0));
  }

  /** Loops between two frames; -1 stands for an end of the sound. */
  loop(mode, start = -1, stop = -1) {
    this.#done(this.#core.player_loop(this.#player, LOOPS[checkedName(mode, LOOPS, "mode")], start, stop));
  }

  /** The frame of the sound with which the next block begins. */
  get position() {
    return this.#core.player_position(this.#player);
  }

  /** Whether the direction is backwards; a ping-pong loop changes it. */
  get isBackward() {
    return this.#core.player_is_backward(this.#player) !== 0;
  }

  /** Computes the next block, to be copied by `copyTo`, and returns its number of frames: at most
   * 1024; 0 at the end. */
  read() {
    const { player_read: read, player_ended: hasEnded, player_next: next } = this.#core;
    for (;;) {
      const frames = read(this.#player);
      if (frames > 0 || hasEnded(this.#player)) return frames;
      const wanted = next(this.#player);
      if (wanted > 0) this.#feed(wanted);
    }
  }

  #feed(frames) {
    const first = this.#core.player_first(this.#player);
    this.#channels.forEach((samples, channel) => {
      const address = this.#core.player_input(this.#player, channel);
      new Float32Array(this.#core.memory.buffer, address, frames)
        .set(samples.subarray(first, first + frames));
    });
    this.#core.player_feed(this.#player);
  }

  /** Copies the block of `frames` frames to `planes`, beginning at their frame `offset`. */
  copyTo(planes, frames, offset = 0) {
    planes.forEach((samples, channel) => {
      const address = this.#core.player_output(this.#player, channel);
      samples.set(new Float32Array(this.#core.memory.buffer, address, frames), offset);
    });
  }

  /** Frees the player. */
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
