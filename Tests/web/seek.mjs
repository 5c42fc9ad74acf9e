// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node seek.mjs FOLDER
// Plays a constant level of 0.5, and seeks during playback to a position with the same level.
// Prints the largest step between two successive frames.

import { processorFor } from "./processor.mjs";

const worker = { postMessage: () => {} };
const processor = processorFor(1, 0);
processor.port.onmessage({ data: { type: "open", port: worker } });
processor.port.onmessage({ data: { type: "play", isPlaying: true, seekNumber: 0 } });
const block = () => worker.onmessage({
  data: {
    type: "block", epoch: 0, planes: [new Float32Array(500).fill(0.5)], frames: 500, position: 0, next: 500,
    isBackward: false,
  },
});

const heard = [];
const play = (quanta) => {
  for (let quantum = 0; quantum < quanta; quantum += 1) {
    const output = new Float32Array(128);
    processor.process([], [[output]]);
    heard.push(...output);
  }
};
for (let count = 0; count < 4; count += 1) block();
play(6);
worker.onmessage({ data: { type: "flush", epoch: 1, seekNumber: 1 } });
play(2); // the worker has not sent any frames yet
for (let count = 0; count < 4; count += 1) block();
play(6);
let largest = 0;
for (let frame = 1; frame < heard.length; frame += 1) {
  largest = Math.max(largest, Math.abs(heard[frame] - heard[frame - 1]));
}
console.log(largest);
