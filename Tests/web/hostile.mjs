// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node hostile.mjs FOLDER SEEDS
// Calls the functions of the module in random order with random numbers. No call may trap, and no
// block may be longer than 1024 frames. Prints the number of calls.

import { readFileSync } from "node:fs";

const [folder, seeds] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`));
const BLOCK_FRAMES = 1024;
const TAPE_FRAMES = 128;
const EDGES = [
  0, 1, 2, -1, -2, 0.5, 0.01, 100, 0.0099, 100.01, 127, 128, 1023, 1024, 1025, 44100, 48000, 2 ** 31 - 1, 2 ** 31,
  2 ** 32 - 1, 2 ** 53, 2 ** 62, 2 ** 63, 2 ** 64, 1e300, 5e-324, NaN, Infinity, -Infinity,
];

function generator(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

let calls = 0;

function run(seed) {
  const random = generator(seed);
  const core = new WebAssembly.Instance(module, {}).exports;
  core._initialize();
  const edge = () => EDGES[random(EDGES.length)];
  const usual = (low, high) => low + ((high - low) * random(1001)) / 1000;
  const number = (low, high) => (random(3) === 0 ? edge() : usual(low, high));
  const channels = random(4) === 0 ? edge() : 1 + random(3);
  const player = core.player_new(number(8000, 192000), channels, number(0, 20000));
  const planes = player === 0 ? 0 : Math.min(channels >>> 0, 1024);

  const fill = () => {
    const frames = core.player_next(player);
    if (frames < 0 || frames > BLOCK_FRAMES) throw new Error(`a run of ${frames}`);
    if (frames === 0) return;
    for (let plane = 0; plane < planes; plane += 1) {
      const samples = new Float32Array(core.memory.buffer, core.player_input(player, plane), frames);
      samples.fill(random(50) === 0 ? edge() : usual(-1, 1));
    }
    if (random(10) > 0) core.player_feed(player);
  };
  const read = () => {
    const frames = core.player_read(player);
    if (frames < 0 || frames > BLOCK_FRAMES) throw new Error(`a block of ${frames}`);
    if (frames === 0) fill();
  };
  const tape = core.tape_new(number(8000, 192000), channels, number(0, 20000));
  const roll = () => {
    // a block needs few runs, except in a very short loop
    for (let block = 0; block < 1 + random(20); block += 1) {
      for (let isDone = false, parts = 0; !isDone; parts += 1) {
        if (parts > 100) throw new Error("a block without an end");
        for (let runs = random(20); runs > 0; runs -= 1) {
          const frames = core.tape_next(tape);
          if (frames === 0) break;
          if (frames < 0 || frames > 16 * TAPE_FRAMES) throw new Error(`a run of ${frames}`);
          for (let plane = 0; plane < planes; plane += 1) {
            new Float32Array(core.memory.buffer, core.tape_input(tape, plane), frames).fill(usual(-1, 1));
          }
          if (random(20) > 0) core.tape_feed(tape);
        }
        isDone = core.tape_read(tape) !== 0;
      }
    }
    if (tape !== 0 && planes > 0) new Float32Array(core.memory.buffer, core.tape_output(tape, 0), TAPE_FRAMES);
    if (Number.isNaN(core.tape_position(tape) + core.tape_speed(tape) + core.tape_ended(tape) + core.tape_first(tape))) {
      throw new Error("the position is no number");
    }
  };
  const actions = [
    roll, roll, roll,
    () => core.tape_start(tape, number(0, 20000), number(-8, 8)),
    () => core.tape_jump(tape, number(0, 20000)),
    () => core.tape_ramp(tape, number(-8, 8), number(0, 5000)),
    () => core.tape_scrub(tape, number(0, 20000), number(0, 5000)),
    () => core.tape_loop(tape, random(5) ? random(3) : edge(), number(-1, 20000), number(-1, 20000)),
    read, read, read, read, read, fill,
    () => core.player_scale(
      player, number(0.25, 4), random(2), random(2) * number(-12, 12), random(5) && random(4), random(5), random(11)),
    () => core.player_scale(player, edge(), edge(), edge(), edge(), edge(), edge()),
    () => core.player_seek(player, number(0, 20000)),
    () => core.player_turn(player, random(2)),
    () => core.player_loop(player, random(5) ? random(3) : edge(), number(-1, 20000), number(-1, 20000)),
    () => core.player_feed(player),
    () => {
      const position = core.player_position(player);
      if (Number.isNaN(position)) throw new Error("the position is no number");
    },
    () => core.player_ended(player) + core.player_is_backward(player) + core.player_first(player),
  ];
  for (let step = 0; step < 300; step += 1) {
    actions[random(actions.length)]();
    calls += 1;
  }
  core.player_free(player);
}

for (let seed = 0; seed < Number(seeds); seed += 1) {
  try {
    run(seed);
  } catch (error) {
    console.error(`seed ${seed}: ${error.stack}`);
    process.exit(1);
  }
}
console.log(`${calls} calls`);
