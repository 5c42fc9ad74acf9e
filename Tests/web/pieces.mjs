// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node pieces.mjs FOLDER
// Plays a sound of numbered frames whose pieces arrive late, in both directions, also a part of it, and
// as Int16. Each frame must be played once, in order. Prints the number of frames.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const { MemoryPlayer } = await import(`${folder}/core.js`);
const { Pieces, rounded } = await import(`${folder}/pieces.js`);
const module = new WebAssembly.Module(readFileSync(`${folder}/retrograde.wasm`));

const FRAMES = 10_007;
const PIECE = 3000;
const LAST = Math.floor(FRAMES / PIECE);
/** Frame n is (n + 1) / 32768 in the first channel, and its negative in the second. */
const numbers = Float32Array.from({ length: FRAMES }, (_, frame) => (frame + 1) / 32768);
const channels = [numbers, numbers.map((value) => -value)];
let count = 0;

/** The numbers of the frames that a player plays. `late` is called when it waits. */
function played(player, late) {
  const planes = [new Float32Array(1024), new Float32Array(1024)];
  const frames = [];
  for (let made; (made = player.read()) !== 0;) {
    if (made < 0) {
      late();
      continue;
    }
    player.copyTo(planes, made);
    for (let frame = 0; frame < made; frame += 1) {
      assert.equal(planes[1][frame], -planes[0][frame]);
      frames.push(32768 * planes[0][frame] - 1);
    }
  }
  count += frames.length;
  return frames;
}

for (const store of [(plane) => plane, rounded]) {
  for (const isBackward of [false, true]) {
    const [start, stop] = [1234, 9876];
    const all = new Pieces({ sampleRate: 8000, channelCount: 2, frames: FRAMES, pieceFrames: PIECE });
    let waits = 0;
    const arrive = () => {
      assert.equal(all.missing(0, FRAMES) >= 0, true);
      const index = isBackward ? LAST - waits : waits;
      all.put(index, channels.map((plane) => store(plane.slice(index * PIECE, (index + 1) * PIECE))));
      waits += 1;
    };
    const forwards = Array.from({ length: FRAMES }, (_, frame) => frame);
    for (const [pieces, expected] of [[all, forwards], [all.part(start, stop), forwards.slice(start, stop)]]) {
      const player = new MemoryPlayer(module, pieces);
      player.turn(isBackward);
      if (isBackward) player.seek(expected.length);
      // before a piece has arrived, settings and seeks lose nothing
      if (waits === 0) assert.equal(player.read(), -1);
      player.scale({ speed: 1, keepPitch: true });
      assert.deepEqual(played(player, arrive), isBackward ? [...expected].reverse() : expected);
      player.close();
    }
    assert.equal(waits, LAST + 1);
    assert.equal(all.missing(0, FRAMES), -1);
  }
}
assert.deepEqual([...rounded(Float32Array.of(-2, -1, 0, 0.5, 1, 2))], [-32768, -32768, 0, 16384, 32767, 32767]);
console.log(count);
