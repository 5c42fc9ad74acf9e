// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node mp3.mjs FOLDER FILE …
// For each file, prints the sample rate, channels and frames that are found without decoding it, or
// "none". Then takes each piece apart, with a decoder whose output has the number of each frame.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [folder, ...files] = process.argv.slice(2);
const { decodedPiece, soundOfMp3 } = await import(`${folder}/mp3.js`);

/** Decodes each chunk into as many frames as an MP3 frame has. Their values count from the first one
 * of the file, which the test knows from the place of the chunk. */
let samples;
let places;
/** The first bytes of a chunk by which it is found. */
const KEY_BYTES = 90;
globalThis.EncodedAudioChunk = class { constructor(about) { Object.assign(this, about); } };
globalThis.AudioDecoder = class {
  static async isConfigSupported() { return { supported: true }; }
  constructor({ output }) { this.output = output; }
  configure() {}
  decode({ timestamp, data }) {
    const number = places.get(Buffer.from(data).toString("latin1", 0, KEY_BYTES));
    this.output({
      timestamp, numberOfFrames: samples, numberOfChannels: 2, close() {},
      copyTo(target, { frameOffset, frameCount }) {
        for (let frame = 0; frame < frameCount; frame += 1) target[frame] = number * samples + frameOffset + frame;
      },
    });
  }
  async flush() {}
  close() {}
};

for (const name of files) {
  const bytes = readFileSync(name);
  const sound = await soundOfMp3(new Blob([bytes]));
  console.log(sound ? [sound.sampleRate, sound.channelCount, sound.frames].join(" ") : "none");
  if (!sound) continue;
  ({ mp3: { samples } } = sound);
  places = new Map([...sound.mp3.places].map((place, number, all) => [bytes.toString("latin1", place, Math.min(place + KEY_BYTES, all[number + 1])), number]));
  for (let index = 0; index * sound.pieceFrames < sound.frames; index += 1) {
    const first = index * sound.pieceFrames;
    const { planes } = await decodedPiece(sound, index);
    assert.equal(planes.length, sound.channelCount);
    assert.equal(planes[0].length, Math.min(sound.pieceFrames, sound.frames - first));
    for (const plane of planes) assert(plane.every((value, frame) => value === first + frame + sound.mp3.skipped));
  }
}
