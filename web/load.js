// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Loads a sound from the server or from a file, and explains why one cannot be decoded.

import { rounded } from "./pieces.js";
import { soundOf } from "./retrograde.js";

/** The size from which a message says that a browser decodes the whole file into memory. */
const LARGE_BYTES = 20e6;
/** A sound with more samples is kept as Int16. */
const LONG_SAMPLES = 64e6;
/** Frames that are converted without a pause, within a few milliseconds. */
const PART_FRAMES = 1 << 18;

/** Fetches a sound from the server. Throws an Error with a message about `subject`. */
export async function fetched(address, subject = "The sound") {
  const response = await fetch(address).catch(() => {
    throw new Error(`${subject} cannot be loaded: there is no network.`);
  });
  if (!response.ok) throw new Error(`${address} cannot be loaded: the server answered with status ${response.status}.`);
  return response.arrayBuffer();
}

/** Returns a file of the visitor if it can be read. Throws an Error with a message. */
export async function readable(file) {
  if (file.size === 0) throw new Error(`${file.name} is empty: open another file.`);
  await file.slice(0, 1).arrayBuffer().catch(() => {
    throw new Error(`${file.name} cannot be read: open a file, not a folder.`);
  });
  return file;
}

/** Decodes all of a file, at the sample rate of the output. Says first if that takes much memory. Throws
 * an Error with a message about `name`. */
export async function decoded(blob, name, say) {
  if (blob.size > LARGE_BYTES) {
    say(`Loading ${name} … This browser decodes all of it first: an hour takes 2 GB of memory. As WAV, it would play at once.`);
  }
  const output = new AudioContext();
  output.close();
  const context = new OfflineAudioContext(1, 1, output.sampleRate);
  const buffer = await blob.arrayBuffer().then((bytes) => context.decodeAudioData(bytes)).catch(() => {
    throw new Error(whyUndecoded(name, blob));
  });
  if (buffer.length === 0) throw new Error(`${name} has no sound in it: open another one.`);
  if (buffer.length * buffer.numberOfChannels < LONG_SAMPLES) return soundOf(buffer);
  const channels = Array.from({ length: buffer.numberOfChannels }, () => new Int16Array(buffer.length));
  const part = new Float32Array(PART_FRAMES);
  for (let first = 0; first < buffer.length; first += PART_FRAMES) {
    for (const [channel, plane] of channels.entries()) {
      const some = part.subarray(0, Math.min(PART_FRAMES, buffer.length - first));
      buffer.copyFromChannel(some, channel, first);
      plane.set(rounded(some), first);
    }
    await new Promise((resolve) => { setTimeout(resolve); });
  }
  return { sampleRate: buffer.sampleRate, channels };
}

/** Returns a message that explains, by the type of the file, why the browser could not decode
 * it. */
function whyUndecoded(name, { type, size }) {
  const kind = type.split("/")[0];
  if (kind === "video") return `${name} has no sound that this browser can decode: open a film with sound, or its sound as MP3, WAV, FLAC or M4A.`;
  if (kind && kind !== "audio") return `${name} is not an audio file: open an MP3, WAV, FLAC or M4A.`;
  const other = size > LARGE_BYTES ? ", or a shorter file" : "";
  return `${name} is damaged, or of a type that this browser cannot decode: open another MP3, WAV, FLAC or M4A${other}.`;
}
