// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node worklet.mjs FOLDER
// Plays quanta, and sends no frames for some of them. Prints the quanta at which the worklet
// reports a gap to the worker, and the total number of underruns.

import { processorFor } from "./processor.mjs";

let underruns = 0;
let quantum = 0;
const worker = { postMessage: ({ isLate }) => { if (isLate) console.log(`late after ${quantum}`); } };
const processor = processorFor(1, 0, (report) => { underruns = report.underruns; });
processor.port.onmessage({ data: { type: "open", port: worker } });
processor.port.onmessage({ data: { type: "play", isPlaying: true, seekNumber: 0 } });
const block = () => worker.onmessage({
  data: { type: "block", epoch: 0, planes: [new Float32Array(128)], frames: 128, position: 0, next: 128, isBackward: false },
});

for (const hasBlock of [true, true, false, false, true, true, false, true]) {
  if (hasBlock) block();
  processor.process([], [[new Float32Array(128)]]);
  quantum += 1;
}
console.log(`underruns ${underruns}`);
