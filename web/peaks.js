// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/** The number of frames that share a peak. */
export const PEAK_FRAMES = 64;

/** Returns the lowest and the highest sample of all channels in each PEAK_FRAMES frames, from `first`
 * on, in units of 1 / 127. */
export function peaksOf(pieces, first, count) {
  const peaks = new Int8Array(2 * Math.ceil(count / PEAK_FRAMES));
  const samples = new Float32Array(count);
  for (let channel = 0; channel < pieces.channelCount; channel += 1) {
    pieces.copy(channel, first, samples);
    for (let peak = 0; 2 * peak < peaks.length; peak += 1) {
      const end = Math.min((peak + 1) * PEAK_FRAMES, count);
      let [low, high] = [0, 0];
      for (let frame = peak * PEAK_FRAMES; frame < end; frame += 1) {
        if (samples[frame] < low) low = samples[frame];
        if (samples[frame] > high) high = samples[frame];
      }
      peaks[2 * peak] = Math.min(peaks[2 * peak], Math.max(Math.round(127 * low), -127));
      peaks[2 * peak + 1] = Math.max(peaks[2 * peak + 1], Math.min(Math.round(127 * high), 127));
    }
  }
  return peaks;
}
