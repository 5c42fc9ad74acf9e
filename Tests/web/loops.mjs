// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node loops.mjs FOLDER
// Plays loops that are shorter than a window of the stretcher, which keeps the pitch. For each
// loop, prints the mode, the length, and the lowest and the highest reported position relative to
// the start marker.

import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const { MemoryPlayer } = await import(`${folder}/core.js`);
const module = new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`));
const START = 1000;

for (const frames of [1, 2, 100, 1000]) {
  for (const mode of ["repeat", "ping-pong"]) {
    const player = new MemoryPlayer(module, { sampleRate: 48000, channels: [new Float32Array(48000)] });
    player.scale({ speed: 0.75, keepPitch: true });
    player.seek(START);
    player.loop(mode, START, START + frames);
    const positions = Array.from({ length: 200 }, () => player.read() && player.position);
    console.log(mode, frames, Math.min(...positions) - START, Math.max(...positions) - START);
  }
}
