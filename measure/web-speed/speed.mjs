// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Measures how many times faster than real time the module renders.

const RATE = 44100;
const SECONDS = 30;
const RUNS = 3;

export const CASES = {
  reversed: { reverse: true },
  "factor 1.5, sinc": { speed: 1 / 1.5 },
  "factor 0.75, pitch kept": { speed: 1 / 0.75, keepPitch: true, window: "music" },
  "factor 1.5, pitch kept": { speed: 1 / 1.5, keepPitch: true, window: "music" },
  "factor 2, pitch kept": { speed: 0.5, keepPitch: true, window: "music" },
};

/** Stereo tones and noise, always the same. */
function sound() {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 31 - 1;
  };
  const channels = [220, 331].map((hz) => Float32Array.from(
    { length: SECONDS * RATE },
    (_, frame) => 0.4 * Math.sin((2 * Math.PI * hz * frame) / RATE) + 0.1 * random()));
  return { sampleRate: RATE, channels };
}

/** Seconds of input per second of time, in the fastest of several runs. */
export function measure(render, module) {
  const input = sound();
  const figures = {};
  for (const [name, settings] of Object.entries(CASES)) {
    let best = Infinity;
    for (let run = 0; run < RUNS; run += 1) {
      const start = performance.now();
      render(module, input, settings);
      best = Math.min(best, performance.now() - start);
    }
    figures[name] = (1000 * SECONDS) / best;
  }
  return figures;
}
