// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node seeks.mjs FOLDER
// Sends many seeks to the worker while it is busy. This happens when a user drags the playhead.
// Prints the numbers of the seeks that the worker performs, and the frame at which its output then
// begins.

import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
globalThis.onmessage = null;
globalThis.postMessage = ({ error }) => { if (error) console.log(error); };
await import(`${folder}/player-worker.js`);

const done = [];
let begin;
const port = {
  postMessage: ({ type, seekNumber, position }) => {
    if (type === "flush") {
      done.push(seekNumber);
      begin = undefined;
    }
    if (type === "block") begin ??= position;
  },
};
const sound = { sampleRate: 48000, channels: [new Float32Array(48000)] };
const tell = (data) => globalThis.onmessage({ data });
tell({ type: "open", module: new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`)), sound, port });
for (let number = 1; number <= 100; number += 1) tell({ type: "seek", frame: 100 * number, number });
tell({ type: "turn", isBackward: true });
await new Promise((resolve) => { setTimeout(resolve, 0); });
console.log(done.join(), begin);
