// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Validation of arguments. A value of the wrong type causes a TypeError, and one that is out of
// range a RangeError. The message says what to use.

/** The numbers that the WebAssembly module uses for the names in settings and loops. */
export const LOOPS = { none: 0, repeat: 1, "ping-pong": 2 };
export const FORMANTS = { follow: 0, keep: 1 };
export const WINDOWS = { auto: 0, music: 1, speech: 2, "low-latency": 3 };
export const INTERPOLATIONS = { nearest: 0, linear: 1, smooth: 2, cubic: 3, sinc: 4 };

/** The default settings: the sound is not changed. */
export const DEFAULTS = Object.freeze({
  speed: 1,
  keepPitch: false,
  semitones: 0,
  formants: "follow",
  formantSemitones: 0,
  window: "auto",
  interpolation: "sinc",
  quality: 6,
});

const MOST_CHANNELS = 1024;
/** The maximum sample rate in Hz. */
const MOST_RATE = 1e6;

/** `value` as it would be written in a program, for messages. */
function shown(value) {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** Returns `value` if it is a number from `low` to `high`. Otherwise throws; `what` names the
 * value. */
export function checkedNumber(value, low, high, what) {
  const advice = `use a number from ${low} to ${high}`;
  if (typeof value !== "number") throw new TypeError(`${what} is ${shown(value)}: ${advice}.`);
  if (value >= low && value <= high) return value;
  throw new RangeError(`${what} is ${value}: ${advice}.`);
}

function checkedWhole(value, low, high, what) {
  if (Number.isInteger(checkedNumber(value, low, high, what))) return value;
  throw new RangeError(`${what} is ${value}: use a whole number from ${low} to ${high}.`);
}

export function checkedFlag(value, what) {
  if (typeof value === "boolean") return value;
  throw new TypeError(`${what} is ${shown(value)}: use true or false.`);
}

/** Returns `name` if it is in `table`. */
export function checkedName(name, table, what) {
  if (typeof name === "string" && Object.hasOwn(table, name)) return name;
  const Kind = typeof name === "string" ? RangeError : TypeError;
  throw new Kind(`${what} is ${shown(name)}: use one of ${Object.keys(table).join(", ")}.`);
}

const SETTINGS = {
  speed: (value, what) => checkedNumber(value, 0.01, 100, what),
  keepPitch: checkedFlag,
  semitones: (value, what) => checkedNumber(value, -24, 24, what),
  formants: (value, what) => checkedName(value, FORMANTS, what),
  formantSemitones: (value, what) => checkedNumber(value, -24, 24, what),
  window: (value, what) => checkedName(value, WINDOWS, what),
  interpolation: (value, what) => checkedName(value, INTERPOLATIONS, what),
  quality: (value, what) => checkedWhole(value, 0, 10, what),
};

/** Returns a copy of `before` with the values of `changed`, which are checked. Undefined values
 * change nothing. */
function merged(before, changed, checks, what) {
  if (typeof changed !== "object" || changed === null) {
    throw new TypeError(`${what} is ${shown(changed)}: use an object with some of ${Object.keys(checks).join(", ")}.`);
  }
  const after = { ...before };
  for (const [name, value] of Object.entries(changed)) {
    if (!Object.hasOwn(checks, name)) {
      throw new TypeError(`There is no ${what}.${name}: use ${Object.keys(checks).join(", ")}.`);
    }
    if (value !== undefined) after[name] = checks[name](value, `${what}.${name}`);
  }
  return after;
}

/** Returns the settings `before` with the values of `changed`. */
export const settingsWith = (changed, before = DEFAULTS) => merged(before, changed, SETTINGS, "settings");

/** Returns all settings of `render()`: those of `settingsWith`, and `reverse`. */
export const renderingWith = (asked) =>
  merged({ reverse: false, ...DEFAULTS }, asked, { reverse: checkedFlag, ...SETTINGS }, "settings");

/** Returns a time in seconds, clamped to 0 … `duration`. */
export function checkedTime(seconds, what, duration) {
  if (typeof seconds === "number" && !Number.isNaN(seconds)) return Math.min(Math.max(seconds, 0), duration);
  const Kind = typeof seconds === "number" ? RangeError : TypeError;
  throw new Kind(`${what} is ${shown(seconds)}: use seconds, here from 0 to ${Number(duration.toFixed(3))}.`);
}

/** Returns the loop `before` with the values of `changed`, in a sound of `duration` seconds. */
export function loopWith(changed, before, duration) {
  const time = (value, what) => (value === null ? null : checkedTime(value, what, duration));
  const checks = { mode: (value, what) => checkedName(value, LOOPS, what), start: time, stop: time };
  return merged(before, changed, checks, "loop");
}

/** Returns `sound` if it is valid, otherwise throws. */
export function checkedSound(sound) {
  const { sampleRate, channels } = sound ?? {};
  if (!Array.isArray(channels) || !channels.every((plane) => plane instanceof Float32Array || plane instanceof Int16Array)) {
    throw new TypeError("The channels of the sound must be an array of Float32Arrays: soundOf(buffer) makes one from an AudioBuffer.");
  }
  checkedWhole(sampleRate, 1, MOST_RATE, "sampleRate of the sound");
  checkedWhole(channels.length, 1, MOST_CHANNELS, "The number of channels");
  const other = channels.findIndex((plane) => plane.length !== channels[0].length);
  if (other > 0) {
    throw new RangeError(`Channel 0 has ${channels[0].length} frames and channel ${other} ` +
      `${channels[other].length}: give all channels the same number of frames.`);
  }
  return sound;
}
