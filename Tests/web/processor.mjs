// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The worklet of `make web`, in the folder that is the first argument, and what a browser has for it.

import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`));
let Processor;
let tell;
globalThis.sampleRate = 48000;
globalThis.currentFrame = 0;
globalThis.AudioWorkletProcessor = class { port = { postMessage: tell }; };
globalThis.registerProcessor = (_, processor) => { Processor = processor; };
await import(`${folder}/player-worklet.js`);

/** Makes a processor for a sound. It calls `told` with its reports for the page. */
export function processorFor(channels, frames, told = () => {}) {
  tell = told;
  return new Processor({ processorOptions: { module, channels, frames, pieceFrames: frames } });
}
