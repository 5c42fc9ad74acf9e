// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The signal processing of Retrograde in a browser. README.md has an example.

import {
  checkedFlag, checkedSound, checkedTime, DEFAULTS, loopWith, renderingWith, settingsWith,
} from "./checks.js";

export { DEFAULTS };

const here = (name) => new URL(name, import.meta.url);
/** The memory of a sound, to be moved to a worker. Planes may lie in one piece of it. */
const memoryOf = ({ channels }) =>
  [...new Set(channels.map((plane) => plane.buffer))].filter((memory) => memory instanceof ArrayBuffer);

/** An AudioBuffer as planes, which belong to the caller. */
export function soundOf(buffer) {
  const channels = Array.from(
    { length: buffer.numberOfChannels }, (_, channel) => buffer.getChannelData(channel).slice());
  return { sampleRate: buffer.sampleRate, channels };
}

/** The module, from which players are made. */
export class Retrograde {
  #module;

  constructor(module) { this.#module = module; }

  /** Fetches and compiles the module; from another place with `url`. */
  static async load(url = here("retrograde.wasm")) {
    const response = await fetch(url).catch(() => {
      throw new Error(`${url} cannot be fetched: there is no network.`);
    });
    if (!response.ok) throw new Error(`${url} cannot be fetched: ${response.statusText}.`);
    return new Retrograde(await WebAssembly.compile(await response.arrayBuffer()));
  }

  /**
   * A whole sound, reversed or scaled, in a worker of its own. The samples of `sound` are
   * transferred to the worker and back: copy them first if you still need them.
   */
  async render(sound, asked = {}) {
    checkedSound(sound);
    const settings = renderingWith(asked);
    const worker = new Worker(here("player-worker.js"), { type: "module" });
    try {
      const channels = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) =>
          data.error ? reject(new RangeError(data.error)) : resolve(data.channels);
        worker.onerror = () => reject(new Error("The worker cannot be started."));
        worker.postMessage(
          { type: "render", id: 1, module: this.#module, sound, settings }, memoryOf(sound));
      });
      return { sampleRate: sound.sampleRate, channels };
    } finally {
      worker.terminate();
    }
  }

  /** A player of `sound`, whose samples it takes over. */
  async player(context, sound) {
    const { sampleRate } = checkedSound(sound);
    if (sampleRate !== context.sampleRate) {
      throw new RangeError(`The sound has ${sampleRate} Hz and the context ${context.sampleRate}: ` +
        `create the context with new AudioContext({ sampleRate: ${sampleRate} }), or decode the sound with it.`);
    }
    if (!context.audioWorklet) {
      throw new Error("This page cannot use AudioWorklet: open it from https:// or from localhost.");
    }
    await context.audioWorklet.addModule(here("player-worklet.js"));
    return new RetrogradePlayer(context, this.#module, sound);
  }
}

/**
 * Plays a sound that lies in memory. Connect its `node`.
 *
 * Events: `position` (several times a second), `ended`, `error` (its `detail` is a sentence).
 */
export class RetrogradePlayer extends EventTarget {
  #worker;
  #settings = { ...DEFAULTS };
  #isBackward = false;
  #isPlaying = false;
  #loop = { mode: "none", start: null, stop: null };
  #position = 0;
  #quanta = 0;
  #underruns = 0;
  /** Counts the seeks: a report from before the last one does not count. */
  #seekNumber = 0;
  /** Whether the worklet has played a grain, and is behind the position by it. */
  #hasScrubbed = false;

  constructor(context, module, sound) {
    super();
    this.sampleRate = sound.sampleRate;
    this.frames = sound.channels[0].length;
    this.node = new AudioWorkletNode(
      context, "retrograde-player",
      { numberOfInputs: 0, outputChannelCount: [Math.min(sound.channels.length, 32)] });
    this.node.port.onmessage = ({ data }) => this.#report(data);
    this.#worker = new Worker(here("player-worker.js"), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#fail(data.error);
    this.#worker.onerror = () => this.#fail("The worker cannot be started.");
    const channel = new MessageChannel();
    this.node.port.postMessage({ type: "open", port: channel.port1 }, [channel.port1]);
    this.#worker.postMessage(
      { type: "open", module, sound, port: channel.port2 },
      [channel.port2, ...memoryOf(sound)]);
  }

  #fail(sentence) {
    this.dispatchEvent(new CustomEvent("error", { detail: sentence }));
  }

  #report({ position, isBackward, played, underruns, seekNumber, isAtEnd }) {
    this.#quanta = played;
    this.#underruns = underruns;
    if (seekNumber !== this.#seekNumber) return;
    if (this.#isPlaying) {
      this.#position = position;
      if (this.#loop.mode === "ping-pong") this.#isBackward = isBackward;
    }
    if (isAtEnd) {
      this.#isPlaying = false;
      this.#position = isBackward ? 0 : this.frames;
      this.dispatchEvent(new Event("ended"));
    }
    this.dispatchEvent(new Event("position"));
  }

  /** Seconds of the sound. */
  get duration() { return this.frames / this.sampleRate; }

  /** Playhead, in seconds of the sound. */
  get position() { return this.#position / this.sampleRate; }
  set position(seconds) {
    this.#seek(checkedTime(seconds, "position", this.duration) * this.sampleRate);
  }

  /** Seeks, and plays a grain of the sound there if paused: for a position that is dragged. */
  scrub(seconds) {
    this.position = seconds;
    if (this.#isPlaying) return;
    this.#hasScrubbed = true;
    this.node.port.postMessage({ type: "scrub", seekNumber: this.#seekNumber });
  }

  #seek(frame) {
    this.#position = Math.min(Math.max(Math.round(frame), 0), this.frames);
    this.#seekNumber += 1;
    this.#worker.postMessage({ type: "seek", frame: this.#position, number: this.#seekNumber });
  }

  /** Makes a control take effect with the first frame of play, where play is paused. */
  #refresh() {
    if (!this.#isPlaying) this.#seek(this.#position);
  }

  get isPlaying() { return this.#isPlaying; }

  /** Plays; from the other end if play is at the one that it goes to. */
  play() {
    const [start, end] = this.#isBackward ? [this.frames, 0] : [0, this.frames];
    if (this.#position === end) this.#seek(start);
    else if (this.#hasScrubbed) this.#seek(this.#position);
    this.#hasScrubbed = false;
    this.#setPlaying(true);
  }

  pause() { this.#setPlaying(false); }

  #setPlaying(isPlaying) {
    this.#isPlaying = isPlaying;
    this.node.port.postMessage({ type: "play", isPlaying, seekNumber: this.#seekNumber });
  }

  /** The direction. After frame n comes n - 1, or n + 1. */
  get isBackward() { return this.#isBackward; }
  set isBackward(isBackward) {
    if (checkedFlag(isBackward, "isBackward") === this.#isBackward) return;
    this.#isBackward = isBackward;
    this.#worker.postMessage({ type: "turn", isBackward });
    this.#refresh();
  }

  /** Changes direction. */
  turn() { this.isBackward = !this.#isBackward; }

  /** `speed` (0.01 ... 100), `keepPitch`, `semitones` (±24), `formants`, `formantSemitones` (±24),
   * `window`, `interpolation`, `quality`: those that are given change, within 20 ms. */
  get settings() { return { ...this.#settings }; }
  set settings(changed) {
    const before = this.#settings;
    this.#settings = settingsWith(changed, before);
    this.#worker.postMessage({ type: "scale", settings: this.#settings });
    const isOther = ["window", "interpolation", "quality"]
      .some((name) => before[name] !== this.#settings[name]);
    if (isOther) this.#seek(this.#position);
    else this.#refresh();
  }

  /** The loop: `mode` "none", "repeat" or "ping-pong", `start` and `stop` in seconds, or null
   * for the ends of the sound. It counts from the end of this pass on. */
  get loop() { return { ...this.#loop }; }
  set loop(changed) {
    this.#loop = loopWith(changed, this.#loop, this.duration);
    const { mode, start, stop } = this.#loop;
    const frame = (seconds) => (seconds === null ? -1 : Math.round(seconds * this.sampleRate));
    this.#worker.postMessage({ type: "loop", mode, start: frame(start), stop: frame(stop) });
    this.#refresh();
  }

  /** Quanta of 128 frames that were played. */
  get quanta() { return this.#quanta; }

  /** Those of them for which no sound was ready in time. */
  get underruns() { return this.#underruns; }

  /** Ends worker and worklet. */
  close() {
    this.node.disconnect();
    this.node.port.postMessage({ type: "close" });
    this.#worker.postMessage({ type: "close" });
  }
}
