// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node player.mjs FOLDER
// Plays a sound whose frames are numbered with the player of a page, its worker and its worklet, and
// checks each frame of the output in both channels. A render quantum is played, and messages between
// the three arrive, when this script says so. FOLDER is that of `make web`. Prints the number of
// frames.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const QUANTUM = 128;
const RATE = 48000;
const FRAMES = 24000;
const SILENT = -1;
const mail = [];
/** Delivers messages in the order in which they were sent, and never within the work of another one. */
function deliver() {
  while (mail.length > 0) mail.shift()();
}
/** Lets the worker perform the commands that it has received. */
async function settle() {
  for (let turn = 0; turn < 5; turn += 1) {
    deliver();
    await new Promise((resolve) => { setTimeout(resolve, 0); });
  }
  deliver();
}

// ---- what a browser has -------------------------------------------------------

/** Two ends: what is sent to one arrives at the other. */
function pair() {
  const ends = [{}, {}];
  ends.forEach((end, index) => { end.postMessage = (data) => mail.push(() => ends[1 - index].onmessage({ data })); });
  return ends;
}

let worker;
let workers = 0;
let Processor;
let processor;
globalThis.onmessage = null;
globalThis.postMessage = (data) => worker.onmessage({ data });
globalThis.close = () => {};
globalThis.Worker = class {
  #receive;
  constructor(url) {
    worker = this;
    workers += 1;
    this.#receive = import(`${url}?${workers}`).then(() => globalThis.onmessage);
  }
  postMessage(data) {
    this.#receive = this.#receive.then((receive) => { receive({ data }); return receive; });
  }
  terminate() {}
};
globalThis.MessageChannel = class { constructor() { [this.port1, this.port2] = pair(); } };
globalThis.AudioWorkletProcessor = class { constructor() { this.port = globalThis.AudioWorkletNode.end; } };
globalThis.registerProcessor = (_, processorClass) => { Processor = processorClass; };
globalThis.AudioWorkletNode = class {
  static end;
  constructor(context, _name, options) {
    assert.deepEqual(options.outputChannelCount, [2]);
    this.context = context;
    [this.port, globalThis.AudioWorkletNode.end] = pair();
    processor = new Processor(options);
  }
  disconnect() {}
};
globalThis.sampleRate = RATE;
globalThis.currentFrame = 0;
/** The time from the worklet to the ear, in seconds. */
let latency = 0;
const context = {
  sampleRate: RATE,
  getOutputTimestamp: () => ({ contextTime: currentFrame / RATE - latency, performanceTime: performance.now() }),
  audioWorklet: { addModule: (url) => import(url) },
};

// ---- the page -----------------------------------------------------------------

const { Retrograde, soundOf } = await import(`${folder}/retrograde.js`);
const retrograde = new Retrograde(new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`)));
const left = Float32Array.from({ length: FRAMES }, (_, frame) => frame + 1);
const right = left.map((value) => value + 0.5);
const sound = () => ({ sampleRate: RATE, channels: [left.slice(), right.slice()] });
let count = 0;

/** Plays quanta. Returns the number of the frame at each place of the output, SILENT, or NaN while both
 * channels fade, or if they do not belong together. */
function heard(quanta) {
  const frames = [];
  for (let quantum = 0; quantum < quanta; quantum += 1) {
    const [one, other] = [new Float32Array(QUANTUM), new Float32Array(QUANTUM)];
    deliver();
    processor.process([], [[one, other]]);
    globalThis.currentFrame += QUANTUM;
    deliver();
    one.forEach((value, index) => {
      if (value === 0 && other[index] === 0) frames.push(SILENT);
      else frames.push(other[index] - value === 0.5 ? value - 1 : NaN);
    });
  }
  count += frames.length;
  return frames;
}

/** Plays from the beginning of playback on. Returns the frames after the fade. */
async function started(player, quanta) {
  player.play();
  await settle();
  return heard(quanta).slice(QUANTUM);
}

/** Unlike `assert.deepEqual`, this names the first difference, and needs no minutes for it. */
function expectFrames(frames, expected) {
  const place = expected.findIndex((frame, index) => frame !== frames[index]);
  assert.equal(place, -1, `at ${place}: ${frames.slice(place, place + 5)}, not ${expected.slice(place, place + 5)}`);
  assert.equal(frames.length, expected.length);
}

const range = (first, end) =>
  Array.from({ length: Math.abs(end - first) }, (_, index) => first + (first < end ? index : -index));
const isSilent = (frames) => frames.every((frame) => frame === SILENT);

async function opened() {
  const player = await retrograde.player(context, sound());
  player.ends = 0;
  player.addEventListener("ended", () => { player.ends += 1; });
  player.addEventListener("error", ({ detail }) => assert.fail(detail));
  await settle();
  return player;
}

/** Expects the frames up to the end, and then silence. */
async function expectPlayed(player, first, end, seconds) {
  const frames = await started(player, 200);
  const length = Math.abs(end - first) - QUANTUM;
  expectFrames(frames.slice(0, length), range(first, end).slice(QUANTUM));
  assert(isSilent(frames.slice(length)));
  assert.deepEqual([player.isPlaying, player.position, player.underruns], [false, seconds, 0]);
}

// It plays to the end, and then from the other end again, in either direction.
const player = await opened();
assert.deepEqual([player.duration, player.position, player.isPlaying, player.isBackward], [0.5, 0, false, false]);
await expectPlayed(player, 0, FRAMES, 0.5);
await expectPlayed(player, 0, FRAMES, 0.5);
player.isBackward = true;
await expectPlayed(player, FRAMES - 1, -1, 0);
await expectPlayed(player, FRAMES - 1, -1, 0);
assert.equal(player.ends, 4);

// A seek and a turn take effect from the first frame on. The position is that of the output.
player.position = 0.1;
await expectPlayed(player, 4799, -1, 0);
player.position = 0.1;
player.turn();
expectFrames(await started(player, 16), range(4800, 4800 + 16 * QUANTUM).slice(QUANTUM));
assert.equal(Math.round(player.position * RATE), 4800 + 16 * QUANTUM);

// A pause loses nothing but what fades, and a turn while it plays comes after the frames that are on
// their way.
player.pause();
heard(1);
assert(isSilent(heard(20)));
const after = await started(player, 20);
expectFrames(after, range(after[0], after[0] + after.length));
assert.equal(after[0], 4800 + 18 * QUANTUM);
player.turn();
await settle();
const turned = heard(300);
const top = Math.max(...turned);
const upTo = range(after.at(-1) + 1, top + 1);
assert(upTo.length > 0 && upTo.length <= 0.25 * RATE + 1024);
expectFrames(turned.slice(0, upTo.length + top), [...upTo, ...range(top - 1, -1)]);
assert.deepEqual([player.isBackward, player.position, player.ends], [true, 0, 6]);

// Loops have their markers in seconds.
player.isBackward = false;
player.loop = { mode: "repeat", start: 0.1, stop: 0.2 };
player.position = 0.1;
const pass = range(4800, 9600);
expectFrames(await started(player, 100), [...pass, ...pass, ...pass].slice(QUANTUM, 100 * QUANTUM));
player.pause();
heard(1);
player.loop = { mode: "ping-pong" };
player.position = 0.1;
const way = [...range(4800, 9599), ...range(9599, 4800)];
expectFrames(await started(player, 50), way.slice(QUANTUM, 50 * QUANTUM));
assert.equal(player.isBackward, true);
player.pause();
heard(1);

// A sound of twice the speed has half of the frames.
player.loop = { mode: "none" };
player.isBackward = false;
player.settings = { speed: 2, interpolation: "nearest" };
player.position = 0;
const fast = (await started(player, 200)).filter((frame) => frame !== SILENT);
assert.equal(fast.length, FRAMES / 2 - QUANTUM);
assert.deepEqual(player.settings.speed, 2);
player.settings = { speed: 1 };

// A tape: a hand moves it, and it rests there. What plays then begins there, with the settings.
player.scrub(0.3);
await settle();
heard(60);
assert.deepEqual([player.position, player.speed, player.isPlaying], [0.3, 0, false]);
expectFrames(await started(player, 30), range(14400, 14400 + 30 * QUANTUM).slice(QUANTUM));
// A tape begins where the sound is, without a seam, and at speed 1 has its frames.
player.shuttle(1);
await settle();
const onTape = heard(20);
expectFrames(onTape.slice(QUANTUM), range(14400 + 31 * QUANTUM, 14400 + 50 * QUANTUM));
assert.deepEqual([player.speed, player.isPlaying, player.isBackward], [1, true, false]);
// The position is that of the audible frame. The worklet has already computed later frames.
latency = 0.02;
heard(10);
assert(Math.abs(player.position * RATE - (14400 + 60 * QUANTUM - 0.02 * RATE)) < 10);
latency = 0;
player.turn();
heard(10);
assert.deepEqual([player.speed, player.isBackward], [-1, true]);
const away = heard(10);
expectFrames(away, range(away[0], away[0] - 10 * QUANTUM));
// A seek lands where it was asked, at that speed. It fades in within a quantum.
player.position = 0.4;
expectFrames(heard(10).slice(QUANTUM), range(19200 - QUANTUM, 19200 - 10 * QUANTUM));
// Both ends, and a pause.
player.ends = 0;
player.shuttle(-8, 0);
heard(30);
assert.deepEqual([player.ends, player.position, player.isPlaying], [1, 0, false]);
player.shuttle(1);
heard(30);
player.pause();
heard(20);
assert(isSilent(heard(10)));
const rest = player.position * RATE;
assert(player.speed === 0 && !player.isPlaying && rest > 29 * QUANTUM);
const continued = await started(player, 20);
assert(Math.abs(continued[0] - QUANTUM - rest) <= 1);
assert.throws(() => player.shuttle(9), { name: "RangeError", message: "speed is 9: use a number from -8 to 8." });
player.close();
deliver();
assert.equal(processor.process([], [[new Float32Array(QUANTUM)]]), false);

// A sound can be rendered, and is copied from an AudioBuffer.
const { sampleRate, channels } = await retrograde.render(sound(), { reverse: true });
assert.deepEqual([sampleRate, ...channels], [RATE, left.slice().reverse(), right.slice().reverse()]);
const buffer = { numberOfChannels: 2, sampleRate: 8000, getChannelData: (channel) => [left, right][channel] };
const copy = soundOf(buffer);
assert.deepEqual(copy, { sampleRate: 8000, channels: [left, right] });
assert.notEqual(copy.channels[0].buffer, left.buffer);
await assert.rejects(retrograde.player(context, copy), {
  name: "RangeError", message: /^The sound has 8000 Hz and the context 48000: create the context with new AudioContext/,
});
console.log(count);
