// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// An MP3 of any length, of which each part is decoded by itself when it's needed. The headers are
// those of ISO/IEC 11172-3 and 13818-3, Layer III, and the delays those of LAME's tag.

/** Number of bytes that are read at once. */
const CHUNK_BYTES = 1 << 20;
/** No frame is longer. */
const MOST_FRAME_BYTES = 2881;
/** After this number of bytes without a frame, the file has none any more. */
const MOST_GAP_BYTES = 1 << 16;
/** A decoder needs earlier MP3 frames, which hold some bits of the first one and overlap with it. */
const EARLIER = 12;
/** MP3 frames in a piece: 10 seconds at 44.1 kHz. */
const PIECE = 384;
/** The delay of a decoder in audio frames. */
const DECODER_DELAY = 529;

const RATES = [44100, 48000, 32000];
const KILOBITS = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Returns what the header at index `at` says, or undefined if there is none. */
function headerAt(bytes, at) {
  const second = bytes[at + 1];
  const third = bytes[at + 2];
  const version = (second >> 3) & 3;  // 3 is MPEG-1, 2 is MPEG-2, 0 is MPEG-2.5
  const isLayer3 = bytes[at] === 0xff && (second & 0xe6) === 0xe2 && version !== 1;
  const isFirst = version === 3;
  const kilobits = KILOBITS[isFirst ? "mpeg1" : "mpeg2"][third >> 4];
  const rate = RATES[(third >> 2) & 3];
  if (!isLayer3 || !kilobits || !rate) return undefined;
  const sampleRate = isFirst ? rate : rate / (version === 2 ? 2 : 4);
  const samples = isFirst ? 1152 : 576;
  return {
    sampleRate, samples, channelCount: bytes[at + 3] >> 6 === 3 ? 1 : 2,
    bytes: Math.floor((samples * kilobits * 125) / sampleRate) + ((third >> 1) & 1),
  };
}

/** Returns the delays of the encoder in audio frames if the frame at index `at` describes the file
 * instead of audio. */
function delaysAt(bytes, at, { samples, channelCount }) {
  const word = (place) => String.fromCharCode(...bytes.subarray(place, place + 4));
  const tag = at + 4 + (samples === 1152 ? [17, 32] : [9, 17])[channelCount - 1];
  if (word(at + 36) === "VBRI") return { start: 0, end: 0 };
  if (!["Xing", "Info"].includes(word(tag))) return undefined;
  if (!["LAME", "Lavc", "Lavf"].includes(word(tag + 120))) return { start: 0, end: 0 };
  const [high, middle, low] = bytes.subarray(tag + 141, tag + 144);
  return { start: DECODER_DELAY + ((high << 4) | (middle >> 4)), end: ((middle & 15) << 8) | low };
}

/** Returns the length of a tag ID3v2 at the beginning of a file, or 0. */
function tagBytes(bytes) {
  const [i, d, three, , , , ...size] = bytes.subarray(0, 10);
  return String.fromCharCode(i, d, three) === "ID3" ? size.reduce((sum, byte) => 128 * sum + byte, 0) + 10 : 0;
}

/** Returns the header of the first MP3 frame, its delays, and the place of each frame of audio,
 * followed by the end of the last. */
async function framesOf(file) {
  const places = [];
  let [header, delays] = [];
  let place = tagBytes(new Uint8Array(await file.slice(0, 10).arrayBuffer()));
  let end = place;  // of the last frame
  while (place < file.size && place - end < MOST_GAP_BYTES) {
    const bytes = new Uint8Array(await file.slice(place, place + CHUNK_BYTES).arrayBuffer());
    const isLast = place + bytes.length >= file.size;
    let at = 0;
    while (at + (isLast ? 4 : 2 * MOST_FRAME_BYTES) < bytes.length && place + at - end < MOST_GAP_BYTES) {
      const found = headerAt(bytes, at);
      const after = at + (found?.bytes ?? 1);
      // after a gap, bytes look like a header only by chance unless another header follows
      const isKnown = found && found.sampleRate === (header ?? found).sampleRate && after <= bytes.length &&
        ((header && place + at === end) || headerAt(bytes, after)?.sampleRate === found.sampleRate);
      if (isKnown) {
        const tag = delaysAt(bytes, at, found);
        if (!header) [header, delays] = [found, tag];
        // also where files were joined, a tag is not decoded
        if (!tag) places.push(place + at);
        end = place + after;
      }
      at = isKnown ? after : at + 1;
    }
    place += Math.max(at, isLast ? bytes.length : 1);
  }
  return { header, delays, places: Float64Array.from([...places, end]) };
}

/** Returns a sound for `Retrograde.player()` that is decoded from an MP3 while it plays, or undefined
 * if the file is no MP3, or if the browser cannot decode it in this way. */
export async function soundOfMp3(file) {
  const { header, delays, places } = await framesOf(file);
  // a few bytes of another file may look like frames
  if (places.length < 3 || places.at(-1) < file.size / 2) return undefined;
  const { sampleRate, samples, channelCount } = header;
  const config = { codec: "mp3", sampleRate, numberOfChannels: channelCount };
  const { supported } = (await globalThis.AudioDecoder?.isConfigSupported(config).catch(() => {})) ?? {};
  const skipped = delays?.start ?? 0;
  const mp3 = { file, config, samples, skipped, places, isSliced: !supported };
  const count = places.length - 1;
  const trial = [Math.min(EARLIER, count - 1), Math.min(EARLIER + PIECE, count)];
  // a browser that shortens slices decodes the whole file better
  if (!supported && !await sliced(mp3, trial, () => {})) return undefined;
  const all = count * samples;
  const frames = Math.max(Math.min(all - skipped, all - skipped + DECODER_DELAY - (delays?.end ?? DECODER_DELAY)), 1);
  return { sampleRate, channelCount, frames, pieceFrames: PIECE * samples, mp3 };
}

/** Returns the bytes of each of the MP3 frames `[from, to)`, without what a file may have between them. */
async function dataOf({ file, places }, [from, to]) {
  const bytes = new Uint8Array(await file.slice(places[from], places[to]).arrayBuffer());
  return Array.from(places.subarray(from, to), (place) => {
    const data = bytes.subarray(place - places[from]);
    return data.subarray(0, headerAt(data, 0).bytes);
  });
}

/** Decodes MP3 frames `[from, to)` with WebCodecs, and calls `output` with each one and its number. Returns
 * whether all of them came. If one is damaged, the numbers of later ones may be wrong. */
async function streamed(mp3, [from, to], output) {
  const { config, samples } = mp3;
  let missing = (to - from) * samples;
  const decoder = new AudioDecoder({
    output(audio) {
      missing -= audio.numberOfFrames;
      output(audio, from + Math.round((audio.timestamp * config.sampleRate) / 1e6 / samples));
      audio.close();
    },
    error() {},
  });
  try {
    decoder.configure(config);
    for (const [number, data] of (await dataOf(mp3, [from, to])).entries()) {
      decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: Math.round((number * samples * 1e6) / config.sampleRate), data }));
    }
    await decoder.flush();
    decoder.close();
  } catch {
    // at an error, the decoder has closed itself
  }
  return missing === 0;
}

/** Decodes an MP3 with `decodeAudioData`, for which a worker asks its page. Returns its planes of Float32,
 * or none if that fails. */
export async function planesOf(bytes, sampleRate) {
  if (!globalThis.OfflineAudioContext) {
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = ({ data }) => {
        port1.close();
        resolve(data);
      };
      postMessage({ type: "slice", bytes, sampleRate, port: port2 }, [bytes, port2]);
    });
  }
  const buffer = await new OfflineAudioContext(1, 1, sampleRate).decodeAudioData(bytes).catch(() => {});
  return Array.from({ length: buffer?.numberOfChannels ?? 0 }, (_, channel) => buffer.getChannelData(channel));
}

/** Does the same as `streamed` with `decodeAudioData`, and with one call of `output`. Without a tag in the
 * slice, a decoder leaves out only damaged frames. */
async function sliced(mp3, [from, to], output) {
  const { config, samples } = mp3;
  const first = Math.max(from - EARLIER, 0);
  const slice = new Blob(await dataOf(mp3, [first, to]));
  const planes = await planesOf(await slice.arrayBuffer(), config.sampleRate);
  if (planes[0]?.length !== (to - first) * samples) return false;
  const copyTo = (target, { planeIndex, frameOffset }) => {
    const start = (from - first) * samples + frameOffset;
    target.set(planes[planeIndex].subarray(start, start + target.length));
  };
  output({ numberOfFrames: (to - from) * samples, numberOfChannels: planes.length, copyTo }, from);
  return true;
}

/** Halves a range until the damaged MP3 frames are alone, and returns their number. */
async function halved(mp3, [from, to], output) {
  if (await sliced(mp3, [from, to], output)) return 0;
  if (to - from === 1) return 1;
  const middle = (from + to) >> 1;
  return await halved(mp3, [from, middle], output) + await halved(mp3, [middle, to], output);
}

/** Decodes a piece of such a sound. Returns its planes of Float32, and how many MP3 frames are damaged
 * and therefore silent. */
export async function decodedPiece({ channelCount, frames, pieceFrames, mp3 }, index) {
  const { samples, skipped, places } = mp3;
  const first = index * pieceFrames;
  const planes = Array.from(
    { length: channelCount }, () => new Float32Array(Math.min(pieceFrames, frames - first)));
  const from = Math.max(Math.floor((first + skipped) / samples) - EARLIER, 0);
  const to = Math.min(Math.ceil((first + planes[0].length + skipped) / samples), places.length - 1);
  const keep = (audio, number) => {
    const at = number * samples - skipped - first;
    const [start, end] = [Math.max(at, 0), Math.min(at + audio.numberOfFrames, planes[0].length)];
    if (end <= start) return;
    planes.forEach((plane, channel) => audio.copyTo(plane.subarray(start, end), {
      planeIndex: Math.min(channel, audio.numberOfChannels - 1), format: "f32-planar",
      frameOffset: start - at, frameCount: end - start,
    }));
  };
  if (!mp3.isSliced && await streamed(mp3, [from, to], keep)) return { planes, damaged: 0 };
  for (const plane of planes) plane.fill(0);
  return { planes, damaged: await halved(mp3, [from, to], keep) };
}
