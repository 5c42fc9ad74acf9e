// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node run-wasm.mjs PROGRAM.wasm FOLDER
// Runs a program for WASI, which sees FOLDER as /corpus. Ends with its status.

import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [program, folder] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1", args: [program, "/corpus"], preopens: { "/corpus": folder }, returnOnExit: true,
});
// node 20 would collect it while the program runs, and abort
globalThis.wasi = wasi;
const module = new WebAssembly.Module(readFileSync(program));
process.exitCode = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
