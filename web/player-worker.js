// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The worker of a player. It computes audio ahead of the worklet, which must never wait: a hop of
// the vocoder can take longer than a render quantum.

import { MemoryPlayer, render } from "./core.js";

/** Seconds of audio that are computed ahead. A change of direction is audible after this delay.
 * Each gap in the audio, because the machine was busy, doubles the delay up to MOST_AHEAD. */
let ahead = 0.25;
const MOST_AHEAD = 1;
const BLOCK_FRAMES = 1024;

let player;
let sound;
let port;
/** Number of frames that were sent to the worklet and have not been played. */
let queued = 0;
/** Number of flushes. Reports about blocks from before the last flush are ignored. */
let epoch = 0;
/** The last seek that has not been performed: { frame, number }, or undefined. */
let wanted;
let isDue = false;
let hasEnded = false;
/** Whether the worklet has the sound, too. */
let isLent = false;
/** Planes of blocks that have been played, which are reused. */
const spare = [];

function pump() {
  while (wanted === undefined && !hasEnded && queued < ahead * sound.sampleRate) {
    const position = player.position;
    const frames = player.read();
    hasEnded = frames === 0;
    if (hasEnded) return port.postMessage({ type: "end", epoch, position });
    const planes = spare.pop() ?? sound.channels.map(() => new Float32Array(BLOCK_FRAMES));
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

const commands = {
  open({ module, sound: opened, port: worklet }) {
    sound = opened;
    port = worklet;
    player = new MemoryPlayer(module, sound);
    port.onmessage = ({ data }) => {
      if (data.isLate) ahead = Math.min(2 * ahead, MOST_AHEAD);
      if (data.planes) spare.push(data.planes);
      if (data.epoch === epoch) queued -= data.frames;
      pump();
    };
  },
  scale({ settings }) { player.scale(settings); },
  loop({ mode, start, stop }) { player.loop(mode, start, stop); },
  seek({ frame, number }) { wanted = { frame, number }; },
  /** Gives the worklet the sound. Memory that can be shared is not copied. */
  lend({ most }) {
    if (isLent) return;
    const isShared = (plane) => !(plane.buffer instanceof ArrayBuffer);
    let channels;
    try {
      channels = sound.channels.slice(0, most).map((plane) => (isShared(plane) ? plane : plane.slice()));
    } catch {
      throw new RangeError("There is not enough memory for a tape: use a shorter sound.");
    }
    port.postMessage({ type: "sound", channels }, channels.filter((plane) => !isShared(plane)).map((plane) => plane.buffer));
    isLent = true;
  },
  turn({ isBackward }) {
    player.turn(isBackward);
    hasEnded = false;
  },
  render({ id, module, sound: rendered, settings }) {
    const { channels } = render(module, rendered, settings);
    postMessage({ id, channels }, [...new Set(channels.map((plane) => plane.buffer))]);
  },
  close() {
    player?.close();
    close();
  },
};

onmessage = ({ data }) => tell(() => {
  commands[data.type](data);
  if (player && data.type !== "close") workSoon();
}, data.id);
