// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node times.mjs times.js

import assert from "node:assert/strict";

const { clock, secondsOf, withMarker } = await import(process.argv[2]);

assert.deepEqual([clock(0), clock(59.96), clock(75.04), clock(3600)], ["0:00.0", "1:00.0", "1:15.0", "60:00.0"]);
assert.deepEqual([clock(75.678, 2), clock(9.6, 0)], ["1:15.68", "0:10"]);
assert.deepEqual(["75", "1:15,5", " 1:00:00 "].map(secondsOf), [75, 75.5, 3600]);
assert.deepEqual(["", "x", "1:", "-1", "1:2:3:4"].map(secondsOf), Array(5).fill(undefined));

const none = { mode: "none", start: null, stop: null };
assert.deepEqual(withMarker(none, "start", 2, 10), { mode: "repeat", start: 2, stop: 10 });
assert.deepEqual(withMarker(none, "stop", 2, 10), { mode: "repeat", start: 0, stop: 2 });
const set = { mode: "ping-pong", start: 2, stop: 4 };
assert.deepEqual(withMarker(set, "start", 3, 10), { ...set, start: 3 });
assert.deepEqual(withMarker(set, "start", 5, 10), { ...set, start: 5, stop: 10 });
assert.deepEqual(withMarker(set, "stop", 1, 10), { ...set, start: 0, stop: 1 });
