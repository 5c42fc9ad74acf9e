// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The worklet of a player. It plays the blocks that the worker sends, and counts underruns: render
// quanta for which no block was ready.

/** The maximum length of the fade-out at a seek, in frames: one quantum. */
const TAIL_FRAMES = 128;
/** Length in quanta of the grain that is played while a position is dragged: 80 ms at 48 kHz. */
const GRAIN_QUANTA = 30;
/** The position is reported once in this number of quanta. */
const REPORT_QUANTA = 8;

class PlayerProcessor extends AudioWorkletProcessor {
  #worker;
  #queue = [];
  /** Number of frames of the first block in the queue that have been played. */
  #offset = 0;
  /** The next frames of the audio from before a seek, one array for each channel. They fade out
   * while the new audio fades in. */
  #tail = [];
  #seekNumber = 0;
  #hasEnded = false;
  #isPlaying = false;
  /** The number of the last seek that the page has requested. Frames of earlier seeks, which may
   * still be queued when the page's message arrives, are not played. */
  #wantedSeek = 0;
  /** Number of quanta of a grain that are left. */
  #grainQuanta = 0;
  /** The gain at the end of the last quantum, 0 or 1. Playback fades in and out within one
   * quantum. */
  #gain = 0;
  #position = 0;
  #isBackward = false;
  /** The number of quanta that were played, and of those for which not enough frames were ready. */
  #played = 0;
  #underruns = 0;
  #wasLate = false;
  #quanta = 0;
  #isOpen = true;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => this.#control(data);
  }

  #control({ type, port, isPlaying, seekNumber }) {
    if (type === "open") {
      this.#worker = port;
      port.onmessage = ({ data }) => this.#receive(data);
    } else if (type === "play") {
      this.#isPlaying = isPlaying;
      this.#grainQuanta = 0;
      this.#wantedSeek = seekNumber;
    } else if (type === "scrub") {
      this.#grainQuanta = GRAIN_QUANTA;
      this.#wantedSeek = seekNumber;
    } else if (type === "close") {
      this.#isOpen = false;
    }
  }

  #receive(message) {
    if (message.type === "flush") {
      this.#keepTail();
      for (const block of this.#queue) this.#giveBack(block);
      this.#queue = [];
      this.#offset = 0;
      this.#gain = 0;
      this.#hasEnded = false;
      this.#seekNumber = message.seekNumber;
    } else if (message.type === "end") {
      this.#hasEnded = true;
    } else {
      this.#hasEnded = false;
      this.#queue.push(message);
    }
  }

  #keepTail() {
    const [block] = this.#queue;
    if (block === undefined || this.#gain === 0) return;
    this.#tail = block.planes.map((plane) => plane.slice(this.#offset, this.#offset + TAIL_FRAMES));
  }

  /** Adds the frames from before a seek, fading out. */
  #addTail(output) {
    if (this.#tail.length === 0) return;
    output.forEach((plane, channel) => {
      const tail = this.#tail[Math.min(channel, this.#tail.length - 1)];
      for (let frame = 0; frame < Math.min(tail.length, plane.length); frame += 1) {
        plane[frame] += tail[frame] * (1 - frame / tail.length);
      }
    });
    this.#tail = [];
  }

  #giveBack({ epoch, frames, planes }) {
    this.#worker.postMessage({ epoch, frames, planes }, planes.map((plane) => plane.buffer));
  }

  /** Copies queued frames to `output`, and returns their number. */
  #fill(output) {
    const wanted = output[0].length;
    let filled = 0;
    while (filled < wanted && this.#queue.length > 0) {
      const block = this.#queue[0];
      const count = Math.min(wanted - filled, block.frames - this.#offset);
      output.forEach((plane, channel) => {
        const samples = block.planes[Math.min(channel, block.planes.length - 1)];
        plane.set(samples.subarray(this.#offset, this.#offset + count), filled);
      });
      filled += count;
      this.#offset += count;
      const share = this.#offset / block.frames;
      this.#position = block.position + share * (block.next - block.position);
      this.#isBackward = block.isBackward;
      if (this.#offset === block.frames) {
        this.#giveBack(this.#queue.shift());
        this.#offset = 0;
      }
    }
    return filled;
  }

  /** Counts an underrun. At the beginning of a gap, tells the worker to compute further ahead. */
  #note(isLate) {
    if (isLate) this.#underruns += 1;
    if (isLate && !this.#wasLate) this.#worker.postMessage({ isLate });
    this.#wasLate = isLate;
  }

  /** Changes the gain from that of the last quantum to `target` within this quantum. */
  #fade(output, target) {
    const start = this.#gain;
    for (const plane of output) {
      const step = (target - start) / plane.length;
      for (let frame = 0; frame < plane.length; frame += 1) plane[frame] *= start + step * frame;
    }
    this.#gain = target;
  }

  process(_inputs, [output]) {
    const isCurrent = this.#seekNumber >= this.#wantedSeek;
    const target = isCurrent && (this.#isPlaying || this.#grainQuanta > 0) ? 1 : 0;
    if (target === 1 || this.#gain > 0) {
      const hadFrames = this.#queue.length > 0;
      const filled = this.#fill(output);
      if (this.#gain === 1) {
        this.#played += 1;
        this.#note(filled < output[0].length && !this.#hasEnded);
      }
      if (hadFrames && this.#gain !== target) this.#fade(output, target);
      if (hadFrames && this.#grainQuanta > 0) this.#grainQuanta -= 1;
    }
    this.#addTail(output);
    const isEmpty = isCurrent && this.#hasEnded && this.#queue.length === 0;
    const isAtEnd = this.#isPlaying && isEmpty;
    if (isEmpty) {
      this.#isPlaying = false;
      this.#grainQuanta = 0;
      this.#gain = 0;
    }
    this.#quanta += 1;
    if (isAtEnd || this.#quanta % REPORT_QUANTA === 0) {
      this.port.postMessage({
        position: this.#position, isBackward: this.#isBackward, played: this.#played,
        underruns: this.#underruns, seekNumber: this.#seekNumber, isAtEnd,
      });
    }
    return this.#isOpen;
  }
}

registerProcessor("retrograde-player", PlayerProcessor);
