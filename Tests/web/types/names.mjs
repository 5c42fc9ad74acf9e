// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node names.mjs PROGRAM.js RETROGRADE.js
// Prints the names that are declared but do not exist, and the names that exist but are not
// declared.

const [program, library] = process.argv.slice(2);
const { members, defaults } = await import(program);
const { RetrogradePlayer, DEFAULTS } = await import(library);
/** The fields that the constructor sets. */
const FIELDS = ["node", "sampleRate", "frames"];

function compare(declared, there, what) {
  for (const name of declared.filter((one) => !there.includes(one))) console.log(`${what} ${name} is declared only`);
  for (const name of there.filter((one) => !declared.includes(one))) console.log(`${what} ${name} is not declared`);
}

const methods = Object.getOwnPropertyNames(RetrogradePlayer.prototype).filter((name) => name !== "constructor");
compare(Object.keys(members), [...methods, ...FIELDS], "player");
compare(Object.keys(defaults), Object.keys(DEFAULTS), "setting");
