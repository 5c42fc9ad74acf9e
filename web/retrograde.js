// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Retrograde's signal processing for web pages. README.md has an example.

import {
  checkedFlag, checkedNumber, checkedSound, checkedTime, DEFAULTS, LOOPS, loopWith, renderingWith, settingsWith,
} from "./checks.js";
import { planesOf, soundOfMp3 } from "./mp3.js";
import { soundOfWav } from "./wav.js";

export { DEFAULTS, soundOfMp3, soundOfWav };

const NO_WORKER = "player-worker.js cannot be started: put all files of Retrograde into one folder.";

/** The number of channels that a node can have. */
const MOST_OUTPUTS = 32;
/** The highest speed of a tape, and the longest time for a change of its speed, in seconds. */
const MOST_SPEED = 8;
const MOST_SECONDS = 600;
/** Beyond this number of frames after the last report of the worklet, no position is guessed. */
const MOST_GUESSED = 4096;
/** Reports of more than two seconds. */
const MOST_REPORTS = 256;

const here = (name) => new URL(name, import.meta.url);
/** The buffers of a sound, for transfer to a worker. Several planes may share a buffer. */
const memoryOf = ({ channels = [] }) =>
  [...new Set(channels.map((plane) => plane.buffer))].filter((memory) => memory instanceof ArrayBuffer);

/** Copies the samples of an AudioBuffer. */
export function soundOf(buffer) {
  const channels = Array.from(
    { length: buffer.numberOfChannels }, (_, channel) => buffer.getChannelData(channel).slice());
  return { sampleRate: buffer.sampleRate, channels };
}

/** The compiled WebAssembly module, which creates players and renders sounds. */
export class Retrograde {
  #module;

  constructor(module) { this.#module = module; }

  /** Fetches and compiles the module, by default from the folder of this script. */
  static async load(url = here("retrograde.wasm")) {
    const response = await fetch(url).catch(() => {
      throw new Error(`${url} cannot be fetched: there is no network.`);
    });
    if (!response.ok) throw new Error(`${url} cannot be fetched: the server answered with status ${response.status}.`);
    return new Retrograde(await WebAssembly.compile(await response.arrayBuffer()));
  }

  /**
   * Reverses or scales a whole sound in a worker. The buffers of `sound` are transferred to the
   * worker; copy them first if you still need them.
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

  /** Creates a player for a sound, whose buffers are transferred to its worker, or for what
   * `soundOfMp3` or `soundOfWav` returns. */
  async player(context, sound) {
    const { sampleRate } = sound?.mp3 ?? sound?.wav ? sound : checkedSound(sound);
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
 * Plays a sound in memory. Its `node` must be connected to an output.
 *
 * Events: `position` (many times a second), `ended`, `error` (`detail` is the message).
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
  /** Number of seeks. Reports of the worklet from before the last seek are ignored. */
  #seekNumber = 0;
  /** Whether the worklet plays the sound as a tape, with the speed that was set last. */
  #isOnTape = false;
  #tapeSpeed = 0;
  /** What `save()` waits for. */
  #saving;
  /** The report about the audible frame, and all later ones. */
  #reports = [];

  constructor(context, module, sound) {
    super();
    this.sampleRate = sound.sampleRate;
    this.frames = sound.frames ?? sound.channels[0].length;
    const most = Math.min(sound.channelCount ?? sound.channels.length, MOST_OUTPUTS);
    this.node = new AudioWorkletNode(
      context, "retrograde-player",
      {
        numberOfInputs: 0, outputChannelCount: [most],
        processorOptions: { module, channels: most, frames: this.frames, pieceFrames: sound.pieceFrames },
      });
    this.node.port.onmessage = ({ data }) => this.#report(data);
    this.node.onprocessorerror = () => this.#fail("The audio thread of this page has stopped: reload the page.");
    this.#worker = new Worker(here("player-worker.js"), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = () => this.#fail(NO_WORKER);
    const channel = new MessageChannel();
    this.node.port.postMessage({ type: "open", port: channel.port1 }, [channel.port1]);
    this.#worker.postMessage(
      { type: "open", module, sound: { ...sound, most }, port: channel.port2 },
      [channel.port2, ...memoryOf(sound)]);
  }

  #fail(sentence) {
    this.dispatchEvent(new CustomEvent("error", { detail: sentence }));
  }

  /** A message of the worker. */
  #hear({ type, error, ...detail }) {
    if (type === "saving") this.#saving?.told(detail.share);
    else if (type === "saved") this.#endSaving(error, detail.file);
    else if (type === "slice") planesOf(detail.bytes, detail.sampleRate).then((planes) => detail.port.postMessage(planes));
    else if (type === "peaks") this.dispatchEvent(new CustomEvent(type, { detail }));
    else this.#fail(error);
  }

  #endSaving(error, file) {
    this.#saving?.done(error, file);
    this.#saving = undefined;
  }

  #report(report) {
    const { position, isBackward, played, underruns, seekNumber, isAtEnd } = report;
    this.#quanta = played;
    this.#underruns = underruns;
    if (seekNumber !== this.#seekNumber) return;
    if (this.#isPlaying || this.#isOnTape) {
      this.#position = position;
      this.#reports.push(report);
      if (this.#reports.length > MOST_REPORTS) this.#reports.shift();
      if (this.#isPlaying && this.#loop.mode === "ping-pong") this.#isBackward = isBackward;
    }
    if (isAtEnd) {
      this.#isPlaying = false;
      this.#place(2 * position < this.frames ? 0 : this.frames);
      this.dispatchEvent(new Event("ended"));
    }
    this.dispatchEvent(new Event("position"));
  }

  /** Returns the position, in frames, and the speed of the audible frame. The worklet has already
   * computed later ones. */
  #heard() {
    const { context } = this.node;
    const { contextTime, performanceTime } = context.getOutputTimestamp();
    const since = (performance.now() - performanceTime) / 1000;
    // in WebKit, and before a context runs, the time stamp is not of now
    const isRight = Math.abs(since) < 1;
    const time = isRight ? contextTime + since : context.currentTime - (context.outputLatency ?? 0);
    const now = time * this.sampleRate;
    while (this.#reports.length > 1 && this.#reports[1].frame <= now) this.#reports.shift();
    const [report] = this.#reports;
    if (report === undefined) return { position: this.#position, speed: 0 };
    const { frame, position, speed } = report;
    const guessed = position + speed * Math.min(Math.max(now - frame, 0), MOST_GUESSED);
    return { position: Math.min(Math.max(guessed, 0), this.frames), speed };
  }

  /** Duration of the sound in seconds. */
  get duration() { return this.frames / this.sampleRate; }

  /** The audible position in seconds. Setting it seeks. */
  get position() { return this.#heard().position / this.sampleRate; }
  set position(seconds) {
    this.#seek(checkedTime(seconds, "position", this.duration) * this.sampleRate);
  }

  /** The audible speed: frames of the sound per frame of the output, below 0 backwards. */
  get speed() { return this.#heard().speed; }

  /** Plays the sound as a tape, at `speed` from -8 to 8, which changes within `seconds`. At 0 the
   * tape rests. The settings are not used until `play()`. */
  shuttle(speed, seconds = 0.005) {
    checkedNumber(speed, -MOST_SPEED, MOST_SPEED, "speed");
    const frames = Math.round(checkedNumber(seconds, 0, MOST_SECONDS, "seconds") * this.sampleRate);
    this.#moveTape({ type: "shuttle", speed, frames }, speed);
    if (speed !== 0) this.#setBackward(speed < 0);
  }

  /** Moves to a position as a tape is moved by hand, within `duration` seconds or more at the
   * highest speed, and rests there. At a `duration` of 0, it jumps there. */
  scrub(seconds, duration = 0.05) {
    const frame = Math.round(checkedTime(seconds, "position", this.duration) * this.sampleRate);
    const frames = Math.round(checkedNumber(duration, 0, MOST_SECONDS, "duration") * this.sampleRate);
    if (frames === 0) {
      this.#place(frame);
      this.#seekNumber += 1;
    }
    this.#moveTape({ type: "scrub", frame, frames }, 0);
  }

  #moveTape(move, speed) {
    this.#isOnTape = true;
    this.#tapeSpeed = speed;
    this.#isPlaying = speed !== 0;
    this.node.port.postMessage({ ...move, from: this.#position, seekNumber: this.#seekNumber });
  }

  #seek(frame) {
    this.#place(Math.min(Math.max(Math.round(frame), 0), this.frames));
    this.#seekNumber += 1;
    this.#worker.postMessage({ type: "seek", frame: this.#position, number: this.#seekNumber });
    if (this.#isOnTape) this.node.port.postMessage({ type: "jump", frame: this.#position, seekNumber: this.#seekNumber });
  }

  /** The sound continues at `frame`, wherever it was before. */
  #place(frame) {
    this.#position = frame;
    this.#reports = [];
  }

  /** While playback is paused, seeks to the current position, so that a new setting is used from
   * its first frame on. */
  #refresh() {
    if (!this.#isPlaying && !this.#isOnTape) this.#seek(this.#position);
  }

  get isPlaying() { return this.#isPlaying; }

  /** Starts playback with the settings. At the end of the sound in the current direction, playback
   * starts from the other end. */
  play() {
    const [start, end] = this.#isBackward ? [this.frames, 0] : [0, this.frames];
    const wasOnTape = this.#isOnTape;
    this.#isOnTape = false;
    if (wasOnTape) this.#worker.postMessage({ type: "turn", isBackward: this.#isBackward });
    // a tape rests on the last frame, and not after it
    if (Math.abs(this.#position - end) <= (wasOnTape ? 1 : 0)) this.#seek(start);
    else if (wasOnTape) this.#seek(this.#position);
    this.#setPlaying(true);
  }

  pause() {
    if (this.#isOnTape) this.shuttle(0);
    else this.#setPlaying(false);
  }

  #setPlaying(isPlaying) {
    this.#isPlaying = isPlaying;
    this.#place(this.#position);
    this.node.port.postMessage({ type: "play", isPlaying, seekNumber: this.#seekNumber });
  }

  /** Whether playback is backwards: frame n is followed by n - 1 instead of n + 1. */
  get isBackward() { return this.#isBackward; }
  set isBackward(isBackward) {
    if (checkedFlag(isBackward, "isBackward") === this.#isBackward) return;
    if (this.#isOnTape && this.#isPlaying) return this.shuttle((isBackward ? -1 : 1) * Math.abs(this.#tapeSpeed));
    this.#setBackward(isBackward);
    this.#refresh();
  }

  #setBackward(isBackward) {
    if (isBackward === this.#isBackward) return;
    this.#isBackward = isBackward;
    this.#worker.postMessage({ type: "turn", isBackward });
  }

  /** Changes the direction. */
  turn() { this.isBackward = !this.#isBackward; }

  /** The settings, as declared in retrograde.d.ts. Assign an object with those to change. A change
   * takes up to 20 ms of sound. */
  get settings() { return { ...this.#settings }; }
  set settings(changed) {
    const before = this.#settings;
    this.#settings = settingsWith(changed, before);
    this.#worker.postMessage({ type: "scale", settings: this.#settings });
    const isOther = ["window", "interpolation", "quality"]
      .some((name) => before[name] !== this.#settings[name]);
    if (isOther && !this.#isOnTape) this.#seek(this.#position);
    else this.#refresh();
  }

  /** The loop: `mode` is "none", "repeat" or "ping-pong"; `start` and `stop` are in seconds, or
   * null for the ends of the sound. A change takes effect at the end of the current pass. */
  get loop() { return { ...this.#loop }; }
  set loop(changed) {
    this.#loop = loopWith(changed, this.#loop, this.duration);
    const { mode, start, stop } = this.#loop;
    const frame = (seconds) => (seconds === null ? -1 : Math.round(seconds * this.sampleRate));
    const markers = { type: "loop", start: frame(start), stop: frame(stop) };
    this.#worker.postMessage({ ...markers, mode });
    this.node.port.postMessage({ ...markers, mode: LOOPS[mode] });
    this.#refresh();
  }

  /** Number of render quanta of 128 frames that have been played. */
  get quanta() { return this.#quanta; }

  /** Number of these quanta for which the worker had not computed enough frames in time. */
  get underruns() { return this.#underruns; }

  /** Plays a part into a WAV file, as declared in retrograde.d.ts. */
  async save({ start, stop, told = () => {} } = {}) {
    const frame = (seconds, what) => Math.round(checkedTime(seconds, what, this.duration) * this.sampleRate);
    const ends = [frame(start ?? 0, "start"), frame(stop ?? this.duration, "stop")];
    this.stopSaving();
    return new Promise((resolve, reject) => {
      this.#saving = { told, done: (error, file) => (error ? reject(new RangeError(error)) : resolve(file)) };
      this.#worker.postMessage({
        type: "save", start: Math.min(...ends), stop: Math.max(...ends), isBackward: this.#isBackward, settings: this.#settings,
      });
    });
  }

  /** Ends `save()`, whose promise becomes undefined. */
  stopSaving() {
    if (!this.#saving) return;
    this.#endSaving();
    this.#worker.postMessage({ type: "stopSaving" });
  }

  /** Ends the worker and the worklet. The player cannot be used afterwards. */
  close() {
    this.stopSaving();
    this.node.disconnect();
    this.node.port.postMessage({ type: "close" });
    this.#worker.postMessage({ type: "close" });
  }
}
