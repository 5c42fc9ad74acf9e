// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The signal processing of Retrograde in a browser. README.md has an example.

import {
  checkedFlag, checkedSound, checkedTime, DEFAULTS, loopWith, renderingWith, settingsWith,
} from "./checks.js";

export { DEFAULTS };

const NO_WORKER = "player-worker.js cannot be started: put all files of Retrograde into one folder.";

const here = (name) => new URL(name, import.meta.url);
/** The memory of a sound, for transfer to a worker. Several planes may share one buffer. */
const memoryOf = ({ channels }) =>
  [...new Set(channels.map((plane) => plane.buffer))].filter((memory) => memory instanceof ArrayBuffer);

/** The planes of an AudioBuffer, which belong to the caller. */
export function soundOf(buffer) {
  const channels = Array.from(
    { length: buffer.numberOfChannels }, (_, channel) => buffer.getChannelData(channel).slice());
  return { sampleRate: buffer.sampleRate, channels };
}

/** The module, which creates players. */
export class Retrograde {
  #module;

  constructor(module) { this.#module = module; }

  /** Fetches and compiles the module, from `url` if that is given. */
  static async load(url = here("retrograde.wasm")) {
    const response = await fetch(url).catch(() => {
      throw new Error(`${url} cannot be fetched: there is no network.`);
    });
    if (!response.ok) throw new Error(`${url} cannot be fetched: the server answered with status ${response.status}.`);
    return new Retrograde(await WebAssembly.compile(await response.arrayBuffer()));
  }

  /**
   * Reverses or scales a whole sound in a separate worker. The samples of `sound` are transferred
   * to the worker and back: copy them first if you still need them.
   */
  async render(sound, asked = {}) {
    checkedSound(sound);
    const settings = renderingWith(asked);
    const worker = new Worker(here("player-worker.js"), { type: "module" });
    try {
      const channels = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) =>
          data.error ? reject(new RangeError(data.error)) : resolve(data.channels);
        worker.onerror = () => reject(new Error(NO_WORKER));
        worker.postMessage(
          { type: "render", id: 1, module: this.#module, sound, settings }, memoryOf(sound));
      });
      return { sampleRate: sound.sampleRate, channels };
    } finally {
      worker.terminate();
    }
  }

  /** Makes a player, to which the samples of `sound` are transferred. */
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
 * Plays a sound in memory. Connect its `node`.
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
  /** Counts the seeks, so that reports from before the last one can be ignored. */
  #seekNumber = 0;
  /** Whether the worklet has played a grain, so that its audio no longer begins at the position. */
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
    this.#worker.onerror = () => this.#fail(NO_WORKER);
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

  /** The duration of the sound in seconds. */
  get duration() { return this.frames / this.sampleRate; }

  /** The playhead, in seconds of the sound. */
  get position() { return this.#position / this.sampleRate; }
  set position(seconds) {
    this.#seek(checkedTime(seconds, "position", this.duration) * this.sampleRate);
  }

  /** Seeks while a position is being dragged. If playback is paused, a grain of the sound is played
   * at that position. */
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

  /** If paused, makes a setting take effect with the first frame of playback. */
  #refresh() {
    if (!this.#isPlaying) this.#seek(this.#position);
  }

  get isPlaying() { return this.#isPlaying; }

  /** Plays. If there is nothing left in the current direction, playback starts at the other end. */
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

  /** The direction. Frame n is followed by n - 1 or n + 1. */
  get isBackward() { return this.#isBackward; }
  set isBackward(isBackward) {
    if (checkedFlag(isBackward, "isBackward") === this.#isBackward) return;
    this.#isBackward = isBackward;
    this.#worker.postMessage({ type: "turn", isBackward });
    this.#refresh();
  }

  /** Changes the direction. */
  turn() { this.isBackward = !this.#isBackward; }

  /** The settings: `speed` (0.01 ... 100), `keepPitch`, `semitones` (±24), `formants`,
   * `formantSemitones` (±24), `window`, `interpolation`, `quality`. Assign an object with some of
   * these keys to change only those settings; the change takes up to 20 ms. */
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

  /** The loop: `mode` "none", "repeat" or "ping-pong", `start` and `stop` in seconds, or null for
   * the ends of the sound. A change takes effect at the end of the current pass. */
  get loop() { return { ...this.#loop }; }
  set loop(changed) {
    this.#loop = loopWith(changed, this.#loop, this.duration);
    const { mode, start, stop } = this.#loop;
    const frame = (seconds) => (seconds === null ? -1 : Math.round(seconds * this.sampleRate));
    this.#worker.postMessage({ type: "loop", mode, start: frame(start), stop: frame(stop) });
    this.#refresh();
  }

  /** Number of quanta of 128 frames that were played. */
  get quanta() { return this.#quanta; }

  /** Number of quanta for which no audio was ready in time. */
  get underruns() { return this.#underruns; }

  /** Ends the worker and the worklet. */
  close() {
    this.node.disconnect();
    this.node.port.postMessage({ type: "close" });
    this.#worker.postMessage({ type: "close" });
  }
}
