// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node wav.mjs FOLDER FILE …
// For each file, prints the sample rate, channels and frames, and writes all of its pieces to
// FILE.f32, interleaved; or prints "none".

import { readFileSync, writeFileSync } from "node:fs";

const [folder, ...files] = process.argv.slice(2);
const { soundOfWav, wavPiece } = await import(`${folder}/wav.js`);

for (const name of files) {
  const sound = await soundOfWav(new Blob([readFileSync(name)]));
  console.log(sound ? [sound.sampleRate, sound.channelCount, sound.frames].join(" ") : "none");
  if (!sound) continue;
  const { channelCount, frames, pieceFrames } = sound;
  const samples = new Float32Array(channelCount * frames);
  for (let index = 0; index * pieceFrames < frames; index += 1) {
    const { planes } = await wavPiece(sound, index);
    planes.forEach((plane, channel) => plane.forEach((value, frame) => {
      samples[(index * pieceFrames + frame) * channelCount + channel] = value;
    }));
  }
  writeFileSync(`${name}.f32`, samples);
}
