// Retrograde
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later
//
// usage: node run-wasm.mjs FUZZER.wasm FOLDER
// Passes the files of a corpus to the function of a fuzzer, one after another, as replay.c does.
// Only the WASI functions that the fuzzer needs are implemented: they print a failed condition, and
// end the process.

import { readdirSync, readFileSync, writeSync } from "node:fs";

const [program, folder] = process.argv.slice(2);
const BAD_DESCRIPTOR = 8;
const module = new WebAssembly.Module(readFileSync(program));
let core;

function write(descriptor, vectors, count, written) {
  const memory = new DataView(core.memory.buffer);
  let bytes = 0;
  for (let vector = vectors; vector < vectors + 8 * count; vector += 8) {
    const length = memory.getUint32(vector + 4, true);
    if (length > 0) writeSync(descriptor, new Uint8Array(core.memory.buffer, memory.getUint32(vector, true), length));
    bytes += length;
  }
  memory.setUint32(written, bytes, true);
  return 0;
}

function end(status) { throw new Error(`the fuzzer ended with ${status}`); }

const system = {};
for (const { name } of WebAssembly.Module.imports(module)) system[name] = () => BAD_DESCRIPTOR;
Object.assign(system, { fd_write: write, proc_exit: end });
core = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system }).exports;
core._initialize();

const names = readdirSync(folder).filter((name) => !name.startsWith("."));
for (const name of names) {
  const bytes = readFileSync(`${folder}/${name}`);
  const address = core.malloc(bytes.length + 1);
  new Uint8Array(core.memory.buffer, address, bytes.length).set(bytes);
  try {
    core.LLVMFuzzerTestOneInput(address, bytes.length);
  } catch (error) {
    console.log(`${name}: ${error.message}`);
    process.exit(1);
  }
  core.free(address);
}
console.log(`${names.length} inputs kept what is promised`);
process.exitCode = names.length > 0 ? 0 : 1;
