// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node again.mjs FOLDER
// Tests what the worklet plays between two messages: playback starts again after the end of the sound,
// and later the worker sends the first frames for this seek. Prints the number of audible frames
// between the two messages (0 is right), and the number of frames at full level after the second
// message.

import { processorFor } from "./processor.mjs";

const QUANTUM = 128;
/** The value of all samples before the seek, and the value of all samples after it. */
const [BEFORE, AFTER] = [0.25, 0.5];

/** Opens a worklet. Returns functions that act like its worker and its page. */
function opened() {
  const worker = { postMessage: () => {} };
  const processor = processorFor(1, 0);
  processor.port.onmessage({ data: { type: "open", port: worker } });
  const heard = [];
  return {
    heard,
    tell: (message) => processor.port.onmessage({ data: message }),
    end: () => worker.onmessage({ data: { type: "end" } }),
    flush: (seekNumber) => worker.onmessage({ data: { type: "flush", epoch: seekNumber, seekNumber } }),
    blocks: (level, count) => {
      for (let block = 0; block < count; block += 1) {
        worker.onmessage({
          data: {
            type: "block", epoch: 0, planes: [new Float32Array(1024).fill(level)], frames: 1024, position: 0, next: 1024,
            isBackward: false,
          },
        });
      }
    },
    play: (quanta) => {
      for (let quantum = 0; quantum < quanta; quantum += 1) {
        const output = new Float32Array(QUANTUM);
        processor.process([], [[output]]);
        heard.push(...output);
      }
    },
  };
}

const audible = (samples) => samples.filter((sample) => sample !== 0).length;
const whole = (samples) => samples.filter((sample) => sample === AFTER).length;

const ended = opened();
ended.tell({ type: "play", isPlaying: true, seekNumber: 0 });
ended.blocks(BEFORE, 1);
ended.end();
ended.play(20);
ended.heard.length = 0;
ended.tell({ type: "play", isPlaying: true, seekNumber: 1 });
ended.play(10);
ended.flush(1);
ended.blocks(AFTER, 2);
ended.play(20);
console.log(audible(ended.heard.slice(0, 10 * QUANTUM)), whole(ended.heard));
