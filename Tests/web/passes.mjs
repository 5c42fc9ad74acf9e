// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node passes.mjs FOLDER
// Plays a sound whose frames are numbered, and checks each frame that is played, in both channels:
// loops, and a turn. FOLDER is that of `make web`. Prints the number of frames.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const { MemoryPlayer } = await import(`${folder}/core.js`);
const module = new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`));
const FRAMES = 24000;
const left = Float32Array.from({ length: FRAMES }, (_, frame) => frame);
const right = left.map((frame) => frame + 0.5);
let count = 0;

function started(frame) {
  const player = new MemoryPlayer(module, { sampleRate: 48000, channels: [left, right] });
  player.seek(frame);
  return player;
}

/** The next frames that are played, in whole blocks, or all up to the end. */
function heard(player, most = Infinity) {
  const frames = [];
  for (let length; frames.length < most && (length = player.read()) > 0;) {
    const planes = [new Float32Array(length), new Float32Array(length)];
    player.copyTo(planes, length);
    planes[1].forEach((sample, index) => assert.equal(sample, planes[0][index] + 0.5));
    frames.push(...planes[0]);
  }
  count += frames.length;
  return frames;
}

const range = (from, to) => Array.from({ length: Math.abs(to - from) }, (_, index) => (from < to ? from + index : from - index));

assert.deepEqual(heard(started(0)), range(0, FRAMES));

const around = started(0);
const there = heard(around, 5000);
around.turn(true);
assert.deepEqual(heard(around), range(there.length - 2, -1));
around.turn(false);
assert.deepEqual(heard(around), range(1, FRAMES));

const again = started(4800);
again.loop("repeat", 4800, 9600);
const pass = range(4800, 9600);
assert.deepEqual(heard(again, 15000).slice(0, 14400), [...pass, ...pass, ...pass]);

const pingPong = started(0);
pingPong.loop("ping-pong", 0, 4800);
const way = [...range(0, 4799), ...range(4799, 0)];
assert.deepEqual(heard(pingPong, 20000).slice(0, 19000), [...way, ...way].slice(0, 19000));
console.log(count);
