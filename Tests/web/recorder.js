// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Sends each quantum of its input to the page, with the time of its first frame.
class Recorder extends AudioWorkletProcessor {
  process([input]) {
    if (input.length > 0) this.port.postMessage({ frame: currentFrame, planes: input.map((plane) => plane.slice()) });
    return true;
  }
}

registerProcessor("recorder", Recorder);
