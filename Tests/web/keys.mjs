// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node keys.mjs FOLDER/keys.js
// Presses the keys J, K and L, and lets them go (-). Prints the speed after each.

import { pathToFileURL } from "node:url";

const { ShuttleKeys } = await import(pathToFileURL(process.argv[2]));
for (const line of ["l -l l -l l l l", "l j j j j j", "l -l k -k j", "k l -l j -k -j", "k l -k -l l", "l k -l -k l"]) {
  const keys = new ShuttleKeys();
  let speed = 0;
  const speeds = line.split(" ").map((key) => {
    if (key.length === 1) speed = keys.press(key, speed);
    else if (keys.release(key[1])) speed = 0;
    return speed;
  });
  console.log(speeds.join(" "));
}
