// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node render.mjs FOLDER IN.f32 RATE CHANNELS
// Renders the input file, which has interleaved floats, once for each line of the standard input. A
// line is a JSON object with the settings and the name of the output file.

import { readFileSync, writeFileSync } from "node:fs";

const [folder, input, rate, channelCount] = process.argv.slice(2);
const { render } = await import(`${folder}/core.js`);
const module = new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`));
const bytes = readFileSync(input);
const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const count = Number(channelCount);
const channels = Array.from({ length: count }, (_, channel) =>
  Float32Array.from({ length: samples.length / count }, (_, frame) => samples[frame * count + channel]));

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { output, settings } = JSON.parse(line);
  const made = render(module, { sampleRate: Number(rate), channels }, settings).channels;
  const frames = made[0].length;
  const interleaved = Float32Array.from(
    { length: frames * count }, (_, index) => made[index % count][Math.floor(index / count)]);
  writeFileSync(output, interleaved);
}
