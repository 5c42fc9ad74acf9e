// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node checks.mjs FOLDER/checks.js
// Checks that invalid values are refused with a sentence, that valid ones are taken, and that times
// outside of the sound count as its nearer end. Prints the number of checks.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const { checkedFlag, checkedName, checkedSound, checkedTime, DEFAULTS, loopWith, renderingWith, settingsWith, LOOPS } =
  await import(pathToFileURL(process.argv[2]));
const NONE = { mode: "none", start: null, stop: null };
const position = (value) => checkedTime(value, "position", 0.5);
const loop = (changed) => loopWith(changed, NONE, 0.5);
const sound = (channels, sampleRate = 48000) => checkedSound({ sampleRate, channels });
const planes = (...lengths) => lengths.map((length) => new Float32Array(length));

// [what is called, class of the error, its message]
const REFUSED = [
  [() => settingsWith({ speed: 0 }), RangeError, "settings.speed is 0: use a number from 0.01 to 100."],
  [() => settingsWith({ speed: 0.0099 }), RangeError, "settings.speed is 0.0099: use a number from 0.01 to 100."],
  [() => settingsWith({ speed: 100.1 }), RangeError, "settings.speed is 100.1: use a number from 0.01 to 100."],
  [() => settingsWith({ speed: NaN }), RangeError, "settings.speed is NaN: use a number from 0.01 to 100."],
  [() => settingsWith({ speed: "2" }), TypeError, 'settings.speed is "2": use a number from 0.01 to 100.'],
  [() => settingsWith({ speed: null }), TypeError, "settings.speed is null: use a number from 0.01 to 100."],
  [() => settingsWith({ semitones: -25 }), RangeError, "settings.semitones is -25: use a number from -24 to 24."],
  [() => settingsWith({ semitones: 24.5 }), RangeError, "settings.semitones is 24.5: use a number from -24 to 24."],
  [() => settingsWith({ formantSemitones: Infinity }), RangeError, "settings.formantSemitones is Infinity: use a number from -24 to 24."],
  [() => settingsWith({ formantSemitones: -24.1 }), RangeError, "settings.formantSemitones is -24.1: use a number from -24 to 24."],
  [() => settingsWith({ keepPitch: 1 }), TypeError, "settings.keepPitch is 1: use true or false."],
  [() => settingsWith({ quality: 6.5 }), RangeError, "settings.quality is 6.5: use a whole number from 0 to 10."],
  [() => settingsWith({ quality: 11 }), RangeError, "settings.quality is 11: use a number from 0 to 10."],
  [() => settingsWith({ quality: -1 }), RangeError, "settings.quality is -1: use a number from 0 to 10."],
  [() => settingsWith({ window: "voice" }), RangeError, 'settings.window is "voice": use one of auto, music, speech, low-latency.'],
  [() => settingsWith({ window: "toString" }), RangeError, 'settings.window is "toString": use one of auto, music, speech, low-latency.'],
  [() => settingsWith({ interpolation: "sync" }), RangeError, 'settings.interpolation is "sync": use one of nearest, linear, smooth, cubic, sinc.'],
  [() => settingsWith({ formants: true }), TypeError, "settings.formants is true: use one of follow, keep."],
  [() => settingsWith({ tempo: 2 }), TypeError, /^There is no settings\.tempo: use speed, keepPitch, .*, quality\.$/],
  [() => settingsWith({ reverse: true }), TypeError, /^There is no settings\.reverse: use speed, .*, quality\.$/],
  [() => settingsWith(2), TypeError, /^settings is 2: use an object with some of speed, .*, quality\.$/],
  [() => settingsWith(null), TypeError, /^settings is null: use an object/],
  [() => renderingWith({ reverse: 1 }), TypeError, "settings.reverse is 1: use true or false."],
  [() => renderingWith({ speed: 0 }), RangeError, "settings.speed is 0: use a number from 0.01 to 100."],
  [() => position(NaN), RangeError, "position is NaN: use seconds, here from 0 to 0.5."],
  [() => position("0:10"), TypeError, 'position is "0:10": use seconds, here from 0 to 0.5.'],
  [() => position(undefined), TypeError, "position is undefined: use seconds, here from 0 to 0.5."],
  [() => checkedFlag("no", "isBackward"), TypeError, 'isBackward is "no": use true or false.'],
  [() => checkedName("pingpong", LOOPS, "mode"), RangeError, 'mode is "pingpong": use one of none, repeat, ping-pong.'],
  [() => loop({ mode: "pingpong" }), RangeError, 'loop.mode is "pingpong": use one of none, repeat, ping-pong.'],
  [() => loop({ start: NaN }), RangeError, "loop.start is NaN: use seconds, here from 0 to 0.5."],
  [() => loop({ stop: [1] }), TypeError, "loop.stop is an array: use seconds, here from 0 to 0.5."],
  [() => loop({ end: 1 }), TypeError, "There is no loop.end: use mode, start, stop."],
  [() => checkedSound(undefined), TypeError, /^The channels of the sound must be an array of Float32Arrays: /],
  [() => sound([[0, 1]]), TypeError, /^The channels of the sound must be an array of Float32Arrays: /],
  [() => sound([]), RangeError, "The number of channels is 0: use a number from 1 to 1024."],
  [() => sound(planes(...Array(1025).fill(1))), RangeError, "The number of channels is 1025: use a number from 1 to 1024."],
  [() => sound(planes(2, 3)), RangeError, "Channel 0 has 2 frames and channel 1 3: give all channels the same number of frames."],
  [() => sound(planes(2, 2, 3)), RangeError, "Channel 0 has 2 frames and channel 2 3: give all channels the same number of frames."],
  [() => sound(planes(2), 0), RangeError, "sampleRate of the sound is 0: use a number from 1 to 1000000."],
  [() => sound(planes(2), 1000001), RangeError, "sampleRate of the sound is 1000001: use a number from 1 to 1000000."],
  [() => sound(planes(2), 44100.5), RangeError, /^sampleRate of the sound is 44100\.5: use a whole number /],
];
for (const [call, kind, message] of REFUSED) {
  assert.throws(call, (error) => {
    assert.equal(error.constructor, kind, `${call}`);
    if (message instanceof RegExp) assert.match(error.message, message);
    else assert.equal(error.message, message);
    return true;
  }, `${call}`);
}

// [what is called, its value]
const ACCEPTED = [
  [() => settingsWith({}), DEFAULTS],
  [() => settingsWith({ speed: undefined, window: undefined }), DEFAULTS],
  [() => DEFAULTS, { speed: 1, keepPitch: false, semitones: 0, formants: "follow", formantSemitones: 0, window: "auto", interpolation: "sinc", quality: 6 }],
  [() => settingsWith({ speed: 0.01, semitones: -24, formantSemitones: 24, quality: 0 }), { ...DEFAULTS, speed: 0.01, semitones: -24, formantSemitones: 24, quality: 0 }],
  [() => settingsWith({ speed: 100, semitones: 24, formantSemitones: -24, quality: 10 }), { ...DEFAULTS, speed: 100, semitones: 24, formantSemitones: -24, quality: 10 }],
  [() => settingsWith({ window: "speech" }, { ...DEFAULTS, speed: 2 }), { ...DEFAULTS, speed: 2, window: "speech" }],
  [() => renderingWith({ reverse: true, keepPitch: true }), { ...DEFAULTS, reverse: true, keepPitch: true }],
  [() => renderingWith({}), { ...DEFAULTS, reverse: false }],
  [() => [-1, 9, Infinity, 0.2].map(position), [0, 0.5, 0.5, 0.2]],
  [() => loop({ start: -1, stop: 9 }), { mode: "none", start: 0, stop: 0.5 }],
  [() => loopWith({ start: null }, { mode: "repeat", start: 0.1, stop: 0.2 }, 0.5), { mode: "repeat", start: null, stop: 0.2 }],
  [() => sound(planes(2, 2), 8000).channels.length, 2],
  [() => sound(planes(...Array(1024).fill(1)), 1e6).channels.length, 1024],
];
for (const [call, value] of ACCEPTED) assert.deepEqual(call(), value, `${call}`);
console.log(`${REFUSED.length + ACCEPTED.length} checks`);
