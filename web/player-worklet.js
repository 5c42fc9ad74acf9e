// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The worklet of a player. It plays the blocks that the worker sends, and counts underruns: render
// quanta for which no block was ready. It computes a tape itself, because a move of the tape must be
// audible immediately.

import { Pieces } from "./pieces.js";

/** The maximum length of the fade-out at a seek, in frames: one quantum. */
const TAIL_FRAMES = 128;
/** The position is reported once in this number of quanta. */
const REPORT_QUANTA = 4;
const MOST_SPEED = 8;
/** If a scrub would take longer than this, and longer than it may, the tape jumps to NEAR_SECONDS of
 * sound before its aim. */
const LONG_SECONDS = 0.25;
const NEAR_SECONDS = 0.2;
/** The number of pieces of a sound that are kept. */
const MOST_PIECES = 24;

/** A sound as a tape that is moved by hand. Its pieces come from the worker. */
class Tape {
  #core;
  #tape;
  #pieces;
  #asked = new Set();
  #blocks;
  /** Asks the worker for a piece. */
  ask = () => {};

  constructor({ module, channels, frames, pieceFrames }) {
    this.#pieces = new Pieces({ channelCount: channels, frames, pieceFrames });
    this.#core = new WebAssembly.Instance(module, {}).exports;
    this.#core._initialize();
    this.#tape = this.#core.tape_new(sampleRate, channels, frames);
    // no memory is allocated after this, so the addresses stay
    this.#blocks = Array.from(
      { length: channels }, (_, channel) => this.#memory(this.#core.tape_output(this.#tape, channel), TAIL_FRAMES));
  }

  put(index, planes) {
    this.#asked.delete(index);
    this.#pieces.put(index, planes);
    if (this.#pieces.size > MOST_PIECES) this.#pieces.dropOldest();
  }

  /** Whether the piece with a frame is there. Asks for it and for its neighbours. */
  has(frame) {
    const index = this.#pieces.indexOf(frame);
    this.#want(index);
    this.#want(index - 1);
    this.#want(index + 1);
    return this.#pieces.has(index);
  }

  #want(index) {
    if (index < 0 || index >= this.#pieces.count || this.#pieces.has(index) || this.#asked.has(index)) return;
    this.#asked.add(index);
    this.ask(index);
  }

  #memory(address, frames) { return new Float32Array(this.#core.memory.buffer, address, frames); }

  loop({ mode, start, stop }) { this.#core.tape_loop(this.#tape, mode, start, stop); }
  start(frame, speed) { this.#core.tape_start(this.#tape, frame, speed); }
  jump(frame) { this.#core.tape_jump(this.#tape, frame); }
  ramp(speed, frames) { this.#core.tape_ramp(this.#tape, speed, frames); }
  scrub(frame, frames) { this.#core.tape_scrub(this.#tape, frame, frames); }
  get position() { return this.#core.tape_position(this.#tape); }
  get speed() { return this.#core.tape_speed(this.#tape); }
  get hasEnded() { return this.#core.tape_ended(this.#tape) !== 0; }

  /** Returns whether the wanted frames are there. */
  #feed(frames) {
    const first = this.#core.tape_first(this.#tape);
    this.has(first);
    if (this.#pieces.missing(first, frames) >= 0) return false;
    for (let channel = 0; channel < this.#blocks.length; channel += 1) {
      this.#pieces.copy(channel, first, this.#memory(this.#core.tape_input(this.#tape, channel), frames));
    }
    this.#core.tape_feed(this.#tape);
    return true;
  }

  /** Returns the planes of the next 128 frames, which are valid until the next call. They are silent
   * where a piece is not there. */
  read() {
    do {
      for (let frames; (frames = this.#core.tape_next(this.#tape)) > 0 && this.#feed(frames););
    } while (this.#core.tape_read(this.#tape) === 0);
    return this.#blocks;
  }
}

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
  /** Whether the next frames have not been decoded. */
  #isWaiting = false;
  #isPlaying = false;
  /** The number of the last seek that the page has requested. Frames of earlier seeks, which may
   * still be queued when the page's message arrives, are not played. */
  #wantedSeek = 0;
  /** The tape, and its moves that wait until the worker has sent the sound. */
  #tape;
  #moves = [];
  #isOnTape = false;
  #isTapeMoving = false;
  /** The gain at the end of the last quantum, 0 or 1. Playback fades in and out within one
   * quantum. */
  #gain = 0;
  #position = 0;
  #isBackward = false;
  /** Frames of the sound per frame of the output in the last block. */
  #speed = 0;
  /** The number of quanta that were played, and of those for which not enough frames were ready. */
  #played = 0;
  #underruns = 0;
  #wasLate = false;
  #quanta = 0;
  #isOpen = true;

  constructor({ processorOptions }) {
    super();
    this.#tape = new Tape(processorOptions);
    this.port.onmessage = ({ data }) => this.#control(data);
  }

  #control(message) {
    const { type, seekNumber } = message;
    if (type === "open") {
      this.#worker = message.port;
      message.port.onmessage = ({ data }) => this.#receive(data);
      this.#tape.ask = (piece) => this.#worker.postMessage({ piece });
    } else if (type === "play") {
      this.#isPlaying = message.isPlaying;
      this.#moves = [];
      this.#wantedSeek = seekNumber;
    } else if (type === "loop") {
      this.#tape.loop(message);
    } else if (type === "close") {
      this.#isOpen = false;
    } else {
      this.#moves.push(message);
      this.#move();
    }
  }

  #receive(message) {
    if (message.type === "flush") {
      if (!this.#isOnTape) this.#keepTail();
      for (const block of this.#queue) this.#giveBack(block);
      this.#queue = [];
      this.#offset = 0;
      this.#hasEnded = false;
      this.#seekNumber = Math.max(this.#seekNumber, message.seekNumber);
      this.#position = message.position;
    } else if (message.type === "end") {
      this.#hasEnded = true;
    } else if (message.type === "wait") {
      this.#isWaiting = true;
    } else if (message.type === "piece") {
      this.#tape.put(message.index, message.planes);
      this.#move();
    } else {
      this.#hasEnded = false;
      this.#isWaiting = false;
      this.#queue.push(message);
    }
  }

  /** Performs the moves of the tape that are waiting, if the sound is there. */
  #move() {
    const [next] = this.#moves;
    if (!this.#isOnTape && next && !this.#tape.has(this.#seekNumber >= next.seekNumber ? this.#position : next.from)) return;
    for (const move of this.#moves) {
      if (!this.#isOnTape) this.#putOnTape(move);
      this.#seekNumber = Math.max(this.#seekNumber, move.seekNumber);
      this.#moveTape(move);
    }
    this.#moves = [];
  }

  /** Continues on the tape where the blocks are, at their speed. */
  #putOnTape({ from, seekNumber }) {
    const isCurrent = this.#seekNumber >= seekNumber;
    const isHeard = isCurrent && this.#isPlaying && this.#gain > 0;
    this.#keepTail();
    this.#isOnTape = true;
    this.#isPlaying = false;
    const speed = isHeard ? Math.min(Math.max(this.#speed, -MOST_SPEED), MOST_SPEED) : 0;
    this.#tape.start(isCurrent ? this.#position : from, speed);
  }

  #moveTape({ type, speed, frame, frames }) {
    this.#isTapeMoving = true;
    if (type === "shuttle") return this.#tape.ramp(speed, frames);
    if (type === "jump" || frames === 0) {
      this.#keepTail();
      return type === "jump" ? this.#tape.jump(frame) : this.#tape.start(frame, 0);
    }
    const way = frame - this.#tape.position;
    // between two rests, the highest speed is 3 / 2 of the mean
    if (Math.abs(way) > (2 / 3) * MOST_SPEED * Math.max(frames, LONG_SECONDS * sampleRate)) {
      this.#keepTail();
      this.#tape.start(frame - Math.sign(way) * NEAR_SECONDS * sampleRate, Math.sign(way) * MOST_SPEED);
    }
    return this.#tape.scrub(frame, frames);
  }

  /** Keeps the next frames, before what is played continues elsewhere and fades in. */
  #keepTail() {
    const [block] = this.#queue;
    if (this.#gain === 0) return;
    if (this.#isOnTape) this.#tail = this.#tape.read().map((plane) => plane.slice());
    else if (block) this.#tail = block.planes.map((plane) => plane.slice(this.#offset, this.#offset + TAIL_FRAMES));
    this.#gain = 0;
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
      this.#speed = (block.next - block.position) / block.frames;
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

  /** Plays queued frames. Returns whether this was the end of the sound. */
  #playBlocks(output, isCurrent) {
    const target = isCurrent && this.#isPlaying ? 1 : 0;
    if (target === 1 || this.#gain > 0) {
      const hadFrames = this.#queue.length > 0;
      const filled = this.#fill(output);
      if (this.#gain === 1) {
        this.#played += 1;
        this.#note(filled < output[0].length && !this.#hasEnded && !this.#isWaiting);
      }
      if (hadFrames && this.#gain !== target) this.#fade(output, target);
    }
    const isEmpty = isCurrent && this.#hasEnded && this.#queue.length === 0;
    const isAtEnd = this.#isPlaying && isEmpty;
    if (isEmpty) {
      this.#isPlaying = false;
      this.#gain = 0;
    }
    if (this.#gain === 0) this.#speed = 0;
    return isAtEnd;
  }

  /** Plays the tape. Returns whether this was the end of the sound. */
  #playTape(output) {
    const blocks = this.#tape.read();
    output.forEach((plane, channel) => plane.set(blocks[Math.min(channel, blocks.length - 1)]));
    if (this.#gain !== 1) this.#fade(output, 1);
    this.#played += 1;
    this.#position = this.#tape.position;
    this.#speed = this.#tape.speed;
    if (this.#speed !== 0) this.#isBackward = this.#speed < 0;
    const isAtEnd = this.#isTapeMoving && this.#tape.hasEnded;
    if (isAtEnd) this.#isTapeMoving = false;
    return isAtEnd;
  }

  process(_inputs, [output]) {
    const isCurrent = this.#seekNumber >= this.#wantedSeek;
    if (this.#isOnTape && this.#isPlaying && isCurrent) {
      this.#keepTail();
      this.#isOnTape = false;
    }
    const isAtEnd = this.#isOnTape ? this.#playTape(output) : this.#playBlocks(output, isCurrent);
    this.#addTail(output);
    this.#quanta += 1;
    if (isAtEnd || this.#quanta % REPORT_QUANTA === 0) {
      this.port.postMessage({
        frame: currentFrame + output[0].length, position: this.#position, speed: this.#speed,
        isBackward: this.#isBackward, played: this.#played, underruns: this.#underruns, seekNumber: this.#seekNumber,
        isAtEnd,
      });
    }
    return this.#isOpen;
  }
}

registerProcessor("retrograde-player", PlayerProcessor);
