// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The worker of a player. It computes audio ahead of the worklet, which must never wait: a hop of
// the vocoder can take longer than a render quantum.

import { MemoryPlayer, render } from "./core.js";
import { decodedPiece } from "./mp3.js";
import { PEAK_FRAMES, peaksOf } from "./peaks.js";
import { Pieces, rounded } from "./pieces.js";
import { Wav, wavPiece } from "./wav.js";

/** Seconds of audio that are computed ahead. A change of direction is audible after this delay.
 * Each gap in the audio, because the machine was busy, doubles the delay up to MOST_AHEAD. */
let ahead = 0.25;
const MOST_AHEAD = 1;
const BLOCK_FRAMES = 1024;
/** A sound with more samples is kept as Int16 after it was decoded. */
const LONG_SAMPLES = 64e6;
/** Frames whose peaks are computed at once, a multiple of PEAK_FRAMES. */
const PEAKED_FRAMES = 6912 * PEAK_FRAMES;
/** Milliseconds of other work after which playback has its turn. */
const TURN = 20;

let player;
let module;
/** What `RetrogradePlayer` has sent, and its pieces. */
let sound;
let pieces;
let port;
/** Number of frames that were sent to the worklet and have not been played. */
let queued = 0;
/** Number of flushes. Reports about blocks from before the last flush are ignored. */
let epoch = 0;
/** The last seek that has not been performed: { frame, number }, or undefined. */
let wanted;
let isDue = false;
let hasEnded = false;
/** Pieces that the worklet has asked for, and that are not there yet. */
const asked = new Set();
/** The file that is being saved, if any. */
let saving;
/** Planes of blocks that have been played, which are reused. */
const spare = [];

function pump() {
  while (wanted === undefined && !hasEnded && queued < ahead * pieces.sampleRate) {
    const position = player.position;
    const frames = player.read();
    if (frames < 0) return port.postMessage({ type: "wait" });
    hasEnded = frames === 0;
    if (hasEnded) return port.postMessage({ type: "end", epoch, position });
    const planes = spare.pop() ?? Array.from({ length: pieces.channelCount }, () => new Float32Array(BLOCK_FRAMES));
    player.copyTo(planes, frames);
    queued += frames;
    const { position: next, isBackward } = player;
    port.postMessage(
      { type: "block", epoch, planes, frames, position, next, isBackward },
      planes.map((plane) => plane.buffer));
  }
}

/** Performs the waiting seek: discards the queue of the worklet, and continues at the target. */
function seek() {
  if (wanted === undefined) return;
  const { frame, number: seekNumber } = wanted;
  wanted = undefined;
  player.seek(frame);
  epoch += 1;
  queued = 0;
  hasEnded = false;
  port.postMessage({ type: "flush", epoch, seekNumber, position: frame });
}

function tell(action, id) {
  try {
    action();
  } catch (error) {
    postMessage({ id, error: error.message });
  }
}

/** Schedules the work after all waiting commands, so that only the last of many seeks is performed
 * while a position is dragged. */
function workSoon() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => tell(() => {
    isDue = false;
    seek();
    pump();
  }));
}

/** Lets the other commands have their turn. */
const turn = () => new Promise((resolve) => { setTimeout(resolve); });

/** Sends the worklet a piece. Memory that can be shared is not copied. */
function lend(index) {
  if (!pieces.has(index)) return asked.add(index);
  asked.delete(index);
  const isShared = (plane) => !(plane.buffer instanceof ArrayBuffer);
  let planes;
  try {
    planes = pieces.get(index).slice(0, sound.most).map((plane) => (isShared(plane) ? plane : plane.slice()));
  } catch {
    throw new RangeError("There is not enough memory for a tape: use a shorter sound.");
  }
  return port.postMessage(
    { type: "piece", index, planes }, planes.filter((plane) => !isShared(plane)).map((plane) => plane.buffer));
}

/** Sends the page the peaks of some frames, and how much of the sound is there. */
function tellPeaks(first, count) {
  const peaks = peaksOf(pieces, first, count);
  postMessage({ type: "peaks", first: first / PEAK_FRAMES, peaks, loaded: pieces.size / pieces.count }, [peaks.buffer]);
}

/** Returns the piece that is needed next, or -1. */
function nextPiece() {
  for (const index of asked) return index;
  const step = player.isBackward ? -1 : 1;
  const start = pieces.indexOf(wanted?.frame ?? player.position);
  for (let index = start; index >= 0 && index < pieces.count; index += step) {
    if (!pieces.has(index)) return index;
  }
  return pieces.missing(0, pieces.frames);
}

async function decodeAll() {
  const isLong = pieces.frames * pieces.channelCount > LONG_SAMPLES;
  let isDamaged = false;
  for (let index; (index = nextPiece()) >= 0;) {
    const { planes, damaged } = await (sound.mp3 ? decodedPiece : wavPiece)(sound, index);
    if (!player) return;
    if (damaged > 0 && !isDamaged) postMessage({ error: "Parts of this file are damaged: they are silent." });
    isDamaged ||= damaged > 0;
    pieces.put(index, isLong ? planes.map(rounded) : planes);
    tellPeaks(index * pieces.pieceFrames, planes[0].length);
    if (asked.has(index)) lend(index);
    workSoon();
    await turn();
  }
}

async function peakAll() {
  for (let first = 0; player && first < pieces.frames; first += PEAKED_FRAMES) {
    tellPeaks(first, Math.min(PEAKED_FRAMES, pieces.frames - first));
    await turn();
  }
}

/** Plays frames `[start, stop)` with the settings into a file, as fast as it goes. */
async function save({ start, stop, isBackward, settings }) {
  const saved = new MemoryPlayer(module, pieces.part(start, stop));
  saved.scale(settings);
  saved.turn(isBackward);
  if (isBackward) saved.seek(stop - start);
  const wav = new Wav(pieces);
  saving = wav;
  const expected = (stop - start) / settings.speed;
  const planes = Array.from({ length: pieces.channelCount }, () => new Float32Array(BLOCK_FRAMES));
  for (let time = performance.now(), frames; (frames = saved.read()) !== 0;) {
    if (frames > 0) {
      saved.copyTo(planes, frames);
      wav.add(planes, frames);
    }
    if (frames < 0 || performance.now() - time > TURN) {
      postMessage({ type: "saving", share: wav.frames / expected });
      await turn();
      if (saving !== wav) return saved.close();
      time = performance.now();
    }
  }
  saved.close();
  return postMessage({ type: "saved", file: wav.file() });
}

const commands = {
  open({ module: compiled, sound: opened, port: worklet }) {
    module = compiled;
    sound = opened;
    pieces = sound.channels ? Pieces.of(sound) : new Pieces(sound);
    port = worklet;
    player = new MemoryPlayer(module, pieces);
    port.onmessage = ({ data }) => {
      if (data.piece !== undefined) return tell(() => lend(data.piece));
      if (data.isLate) ahead = Math.min(2 * ahead, MOST_AHEAD);
      if (data.planes) spare.push(data.planes);
      if (data.epoch === epoch) queued -= data.frames;
      return pump();
    };
    (sound.channels ? peakAll() : decodeAll()).catch((error) => postMessage({ error: error.message }));
  },
  scale({ settings }) { player.scale(settings); },
  loop({ mode, start, stop }) { player.loop(mode, start, stop); },
  seek({ frame, number }) { wanted = { frame, number }; },
  turn({ isBackward }) {
    player.turn(isBackward);
    hasEnded = false;
  },
  save(asked) { save(asked).catch((error) => postMessage({ type: "saved", error: error.message })); },
  stopSaving() { saving = undefined; },
  render({ id, module, sound: rendered, settings }) {
    const { channels } = render(module, rendered, settings);
    postMessage({ id, channels }, [...new Set(channels.map((plane) => plane.buffer))]);
  },
  close() {
    player?.close();
    player = undefined;
    close();
  },
};

onmessage = ({ data }) => tell(() => {
  commands[data.type](data);
  if (player && data.type !== "close") workSoon();
}, data.id);
