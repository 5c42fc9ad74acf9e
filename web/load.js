// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Loads the bytes of a sound from the server or from a file, and explains why a sound cannot be
// decoded.

/** The size from which a message advises a shorter file: a browser decodes the whole file into
 * memory. */
const LARGE_BYTES = 50e6;

/** Fetches a sound from the server. Throws an Error with a message about `subject`. */
export async function fetched(address, subject = "The sound") {
  const response = await fetch(address).catch(() => {
    throw new Error(`${subject} cannot be loaded: there is no network.`);
  });
  if (!response.ok) throw new Error(`${address} cannot be loaded: the server answered with status ${response.status}.`);
  return response.arrayBuffer();
}

/** Reads a file of the visitor. Throws an Error with a message. */
export async function bytesOf(file) {
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`${file.name} cannot be read: open a file, not a folder.`);
  });
  if (bytes.byteLength === 0) throw new Error(`${file.name} is empty: open another file.`);
  return bytes;
}

/** Returns a message that explains, by the type of the file, why the browser could not decode
 * it. */
export function whyUndecoded(name, file) {
  const kind = file?.type.split("/")[0];
  if (kind === "video") return `${name} has no sound that this browser can decode: open a film with sound, or its sound as MP3, WAV, FLAC or M4A.`;
  if (kind && kind !== "audio") return `${name} is not an audio file: open an MP3, WAV, FLAC or M4A.`;
  const other = file?.size > LARGE_BYTES ? ", or a shorter file" : "";
  return `${name} cannot be decoded by this browser: open an MP3, WAV, FLAC or M4A${other}.`;
}
