// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node tape.mjs FOLDER
// Moves the tape of the worklet, and compares each audible frame with its position in closed form. In the left channel, the samples of the sound are the numbers of its frames. The right
// channel is 1, and so tells the level. FOLDER is that of `make web`. Prints the number of frames.

import assert from "node:assert/strict";
import { processorFor } from "./processor.mjs";

const QUANTUM = 128;
const RATE = 48000;
const FRAMES = 10 * RATE;
/** In frames. The sum of a kernel is 1 within 4e-7, and so the number of a frame is exact within 0.1. */
const NEAR = 0.15;

const numbers = [Float32Array.from({ length: FRAMES }, (_, frame) => frame), new Float32Array(FRAMES).fill(1)];
let count = 0;

/** A worklet with a sound, which begins at frame `from`. */
function opened(from, channels = numbers) {
  const worker = { postMessage: () => {} };
  let last;
  const processor = processorFor(2, FRAMES, (report) => { last = report; });
  const tell = (type, values = {}) => processor.port.onmessage({ data: { type, from, seekNumber: 1, ...values } });
  tell("open", { port: worker });
  tell("loop", { mode: 0, start: -1, stop: -1 });
  return {
    tell,
    lend: () => worker.onmessage({ data: { type: "piece", index: 0, planes: channels } }),
    get report() { return last; },
    /** Plays whole quanta, and returns both channels. */
    play(quanta) {
      const planes = [[], []];
      for (let quantum = 0; quantum < quanta; quantum += 1) {
        const output = [new Float32Array(QUANTUM), new Float32Array(QUANTUM)];
        processor.process([], [output]);
        globalThis.currentFrame += QUANTUM;
        output.forEach((plane, channel) => planes[channel].push(...plane));
      }
      count += quanta * QUANTUM;
      return planes;
    },
  };
}

/** The positions of a tape, as timespeed.h defines them. */
class Model {
  constructor(position, speed = 0) { this.#move(position, speed, position, speed, 0); }

  #move(p, v, q, w, length) { Object.assign(this, { p, v, q, w, length, passed: 0 }); }

  /** The position, and the speed, of output frame n of the move. */
  #at(n) {
    const { p, v, q, w, length } = this;
    if (n >= length) return [q + (n - length) * w, w];
    const [u, d] = [n / length, (q - p) / length];
    const [bend, twist] = [3 * d - 2 * v - w, v + w - 2 * d];
    return [p + n * (v + u * (bend + u * twist)), v + u * (2 * bend + 3 * u * twist)];
  }

  get position() { return this.#at(this.passed)[0]; }

  shuttle(speed, frames) {
    const [position, now] = this.#at(this.passed);
    const end = position + (frames * (now + speed)) / 2;
    this.#move(position, now, Math.abs(speed) === 1 ? Math.floor(end + 0.5) : end, speed, frames);
  }

  scrub(frame, frames) { this.#move(...this.#at(this.passed), frame, 0, frames); }

  next(frames) {
    this.passed += frames;
    return Array.from({ length: frames }, (_, frame) => this.#at(this.passed - frames + frame)[0]);
  }
}

/** Plays, and compares the output with the model. Returns the number of frames that are loud enough. */
function expectModel(tape, model, quanta) {
  const [left, right] = tape.play(quanta);
  const positions = model.next(quanta * QUANTUM);
  const loud = [...left.keys()].filter((frame) => right[frame] > 0.05);
  const worst = Math.max(0, ...loud.map((frame) => Math.abs(left[frame] / right[frame] - positions[frame])));
  assert(worst < NEAR, `${worst} frames`);
  return loud.length;
}

// Every speed, and each change of it, from any speed to any other.
{
  const tape = opened(200_000);
  const model = new Model(200_000);
  tape.tell("shuttle", { speed: 2, frames: 480 });
  assert(tape.play(8)[1].every((level) => level === 0));
  tape.lend();
  model.shuttle(2, 480);
  let loud = expectModel(tape, model, 16);
  for (const speed of [-0.5, 1, -1, 8, -8, 0.25, -3.7, 0.01, 1.3, -0.25]) {
    tape.tell("shuttle", { speed, frames: 240 });
    model.shuttle(speed, 240);
    loud += expectModel(tape, model, 16);
  }
  assert(loud > 11 * 16 * QUANTUM - 500);
  assert(Math.abs(tape.report.position - model.position) < 1e-6 && tape.report.speed === -0.25);
  // at rest, the sound fades out
  tape.tell("shuttle", { speed: 0, frames: 240 });
  model.shuttle(0, 240);
  expectModel(tape, model, 16);
  assert(tape.play(8)[1].every((level) => level === 0));
}

// A hand moves it: a target for each 16 ms, each to be reached within 50 ms.
{
  const tape = opened(240_000);
  const model = new Model(240_000);
  tape.lend();
  let loud = 0;
  for (let event = 0; event < 200; event += 1) {
    const frame = 240_000 + Math.round(60_000 * Math.sin(event / 20) + 2000 * Math.sin(event / 3));
    tape.tell("scrub", { frame, frames: 2400 });
    model.scrub(frame, 2400);
    loud += expectModel(tape, model, 6);
    assert(tape.report.position >= 0);
  }
  assert(loud > 200 * 6 * QUANTUM - 1000);
  const last = model.q;
  expectModel(tape, model, 40);
  assert.deepEqual([tape.report.position, tape.report.speed], [last, 0]);
}

// A hand that is too far away for the highest speed: it jumps near, and arrives.
{
  const tape = opened(0);
  tape.lend();
  tape.tell("scrub", { frame: 400_000, frames: 2400 });
  const [left, right] = tape.play(30);
  const first = right.findIndex((level) => level > 0.5);
  assert(left[first] / right[first] >= 400_000 - 0.2 * RATE);
  assert.equal(tape.report.position, 400_000);
  // a duration of 0 jumps there, silently
  tape.tell("scrub", { frame: 100_000, frames: 0 });
  assert(tape.play(4)[1].every((level) => level === 0));
  assert.deepEqual([tape.report.position, tape.report.speed], [100_000, 0]);
}

// A hand that is so fast that the tape overshoots: at the end of the sound, it comes back.
{
  const tape = opened(FRAMES - 3500);
  tape.lend();
  tape.tell("shuttle", { speed: 8, frames: 0 });
  tape.tell("scrub", { frame: FRAMES - 500, frames: 2400 });
  tape.play(60);
  assert.deepEqual([tape.report.position, tape.report.isAtEnd], [FRAMES - 500, false]);
}

// ---- loops --------------------------------------------------------------------

const range = (first, end) =>
  Array.from({ length: Math.abs(end - first) }, (_, index) => first + (first < end ? index : -index));
const repeated = (pass, length) => Array.from({ length }, (_, index) => pass[index % pass.length]);
const [START, STOP, QUANTA, FADE] = [48_000, 50_400, 80, 4 * QUANTUM];

/** At speeds 1 and -1, the frames are those of the sound, after the fade of 10 ms. */
function expectPasses(mode, from, speed, pass) {
  const tape = opened(from);
  tape.tell("loop", { mode, start: START, stop: STOP });
  tape.lend();
  tape.tell("shuttle", { speed, frames: 0 });
  const heard = tape.play(QUANTA)[0].slice(FADE);
  const first = pass.indexOf(heard[0]);
  assert(first >= 0, `${heard[0]}`);
  assert.deepEqual(heard, repeated(pass, first + heard.length).slice(first));
}
const there = range(START, STOP);
const back = there.slice().reverse();
expectPasses(1, START, 1, there);
expectPasses(1, START + 500, -1, back);
const thereAndBack = [...range(START, STOP - 1), ...range(STOP - 1, START)];
expectPasses(2, START, 1, thereAndBack);
expectPasses(2, START, -1, thereAndBack.slice().reverse());
// a tape that is before or after the loop reaches it first
for (const [from, speed, lead, pass] of [
  [START - 2000, 1, range(START - 2000, START), there], [STOP + 2000, -1, range(STOP + 2000, STOP - 1), back],
]) {
  expectPasses(1, from, speed, [...lead, ...repeated(pass, QUANTA * QUANTUM)]);
}
// also if the loop is shorter than a quantum
{
  const tape = opened(START - 1930);
  tape.tell("loop", { mode: 1, start: START, stop: START + 50 });
  tape.lend();
  tape.tell("shuttle", { speed: 1, frames: 0 });
  const heard = tape.play(30)[0].slice(FADE);
  const lead = range(heard[0], START);
  assert.deepEqual(heard, [...lead, ...repeated(range(START, START + 50), heard.length - lead.length)]);
}
// when it has reached the loop, it stays there, in both directions
for (const [from, speed] of [[START - 1930, 1], [STOP + 1930, -1]]) {
  const tape = opened(from);
  tape.tell("loop", { mode: 1, start: START, stop: STOP });
  tape.lend();
  tape.tell("shuttle", { speed, frames: 0 });
  tape.play(18);
  tape.tell("shuttle", { speed: -speed, frames: 0 });
  assert(tape.play(10)[0].every((frame) => frame >= START && frame < STOP));
}
// if it moves away from the loop, it continues there after the end of the sound
{
  const tape = opened(1000);
  tape.tell("loop", { mode: 1, start: START, stop: STOP });
  tape.lend();
  tape.tell("shuttle", { speed: -1, frames: 0 });
  const heard = tape.play(20)[0].slice(FADE);
  assert.deepEqual(heard.slice(0, heard[0] + 1), range(heard[0], -1));
  assert.deepEqual(heard.slice(heard[0] + 1), repeated(back, heard.length - heard[0] - 1));
}

/** At other speeds, a wave that fits the loop has no seam. */
function expectSeamless(mode, wave, speeds) {
  const samples = Float32Array.from({ length: FRAMES }, (_, frame) => wave(frame - START));
  const tape = opened(START, [samples, numbers[1]]);
  tape.tell("loop", { mode, start: START, stop: STOP });
  tape.lend();
  const model = new Model(0);
  for (const speed of speeds) {
    tape.tell("shuttle", { speed, frames: 240 });
    model.shuttle(speed, 240);
    const [heard, level] = tape.play(60);
    const positions = model.next(60 * QUANTUM);
    const worst = Math.max(...heard.map((sample, frame) => Math.abs(sample - level[frame] * wave(positions[frame]))));
    assert(worst < 2e-5, `${mode} ${speed}: ${worst}`);
  }
  assert.equal(Math.sign(tape.report.speed), mode === 1 ? Math.sign(speeds.at(-1)) : Math.sign(tape.report.speed));
  assert(tape.report.position >= START && tape.report.position < STOP);
}
expectSeamless(1, (frame) => Math.sin((2 * Math.PI * 20 * frame) / (STOP - START)), [1.5, -3, 0.4, 8, -0.7]);
expectSeamless(2, (frame) => Math.cos((Math.PI * 20 * frame) / (STOP - START - 1)), [1.5]);

// On other passes of a loop, the tape has other numbers than the sound. A loop that changes, a hand,
// and a seek find the position in the sound.
for (const leave of [
  (tape) => tape.tell("loop", { mode: 0, start: -1, stop: -1 }),
  (tape) => tape.tell("loop", { mode: 1, start: 0, stop: STOP }),
]) {
  const tape = opened(START);
  tape.tell("loop", { mode: 2, start: START, stop: STOP });
  tape.lend();
  tape.tell("shuttle", { speed: 1, frames: 0 });
  const last = tape.play(100)[0].at(-1);
  assert(tape.report.isBackward && last > START + 1000);
  leave(tape);
  assert.deepEqual(tape.play(8)[0], range(last - 1, last - 1 - 8 * QUANTUM));
  tape.tell("shuttle", { speed: -0.5, frames: 240 });
  tape.play(4);
  tape.tell("scrub", { frame: START - 3000, frames: 2400 });
  tape.play(30);
  assert.equal(tape.report.position, START - 3000);
}
{
  const tape = opened(START);
  tape.tell("loop", { mode: 1, start: START, stop: STOP });
  tape.lend();
  tape.tell("shuttle", { speed: 1, frames: 0 });
  tape.play(70);
  tape.tell("jump", { frame: START + 100, seekNumber: 2 });
  tape.play(10);
  tape.tell("jump", { frame: START + 700, seekNumber: 2 });
  assert.deepEqual(tape.play(10)[0].slice(QUANTUM), range(START + 700 + QUANTUM, START + 700 + 10 * QUANTUM));
  assert.equal(tape.report.seekNumber, 2);
}

// ---- the ends -----------------------------------------------------------------

{
  const tape = opened(FRAMES - 1000);
  tape.lend();
  tape.tell("shuttle", { speed: 4, frames: 0 });
  tape.play(3);
  assert.deepEqual([tape.report.isAtEnd, tape.report.position, tape.report.speed], [true, FRAMES - 1, 0]);
  tape.play(4);
  assert.equal(tape.report.isAtEnd, false);
  tape.tell("shuttle", { speed: -1, frames: 0 });
  assert.equal(tape.play(4)[0].at(-1), FRAMES - 4 * QUANTUM);
  // the end is reached on the way to another direction
  tape.tell("shuttle", { speed: 2, frames: 0 });
  tape.play(1);
  tape.tell("shuttle", { speed: -1, frames: 48_000 });
  tape.play(4);
  assert.deepEqual([tape.report.isAtEnd, tape.report.speed], [false, -1]);
}
// after an end, a ping-pong loop changes direction outside of its markers, and reaches them
for (const [from, speed, expected] of [
  [FRAMES - 1000, 1, [...range(FRAMES - 1000, FRAMES - 1), ...range(FRAMES - 1, 0)]], [1000, -1, [...range(1000, 0), ...range(0, STOP)]],
]) {
  const tape = opened(from);
  tape.tell("loop", { mode: 2, start: START, stop: STOP });
  tape.lend();
  tape.tell("shuttle", { speed, frames: 0 });
  const heard = tape.play(20)[0].slice(FADE);
  const first = expected.indexOf(heard[0]);
  assert.deepEqual(heard, expected.slice(first, first + heard.length));
}
console.log(count);
