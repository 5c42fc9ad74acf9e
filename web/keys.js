// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The keys J, K and L of an editor. L plays forwards and J backwards, each press twice as fast. K
// stops, and while it is held, J and L are slow.

const MOST_SPEED = 8;
const SLOW_SPEED = 0.25;
const WAYS = { j: -1, k: 0, l: 1 };

export class ShuttleKeys {
  #held = new Set();

  /** Returns the speed after `key` has been pressed while `now` was the speed. */
  press(key, now) {
    const way = WAYS[key];
    this.#held.add(key);
    if (way === 0) return 0;
    if (this.#held.has("k")) return way * SLOW_SPEED;
    return way * (now * way > 0 ? Math.min(2 * Math.abs(now), MOST_SPEED) : 1);
  }

  /** Returns whether the sound stops after `key` has been let go. */
  release(key) {
    const isSlow = this.#held.has("k") && this.#held.size > 1;
    return this.#held.delete(key) && isSlow;
  }

  /** The page no longer hears of keys that are let go. */
  forget() { this.#held.clear(); }
}
