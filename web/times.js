// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/** Formats a time in seconds as m:ss.s, or with another number of digits after the point. */
export function clock(seconds, digits = 1) {
  const units = Math.round(10 ** digits * seconds);
  const minute = 60 * 10 ** digits;
  const rest = ((units % minute) / 10 ** digits).toFixed(digits);
  return `${Math.floor(units / minute)}:${rest.padStart(digits > 0 ? digits + 3 : 2, "0")}`;
}

/** Returns the seconds of a time such as "75", "1:15.5" or "1:00:00", or undefined. */
export function secondsOf(text) {
  const parts = text.trim().split(":");
  if (parts.length > 3 || !parts.every((part) => /^\d+([.,]\d*)?$/.test(part))) return undefined;
  return parts.reduce((sum, part) => 60 * sum + Number(part.replace(",", ".")), 0);
}

/** Returns the loop in which a marker is set at `seconds`. It stays after its start. */
export function withMarker({ mode, start, stop }, name, seconds, duration) {
  const loop = { mode: mode === "none" ? "repeat" : mode, start: start ?? 0, stop: stop ?? duration, [name]: seconds };
  if (loop.start < loop.stop) return loop;
  return name === "start" ? { ...loop, stop: duration } : { ...loop, start: 0 };
}
