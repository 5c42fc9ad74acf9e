// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/** A sound in memory. Each channel is an array of samples, all of equal length. */
export interface Sound {
  sampleRate: number;
  channels: Float32Array[];
}

/** A sound in memory, which may have samples in units of 1 / 32768. They take half of the memory. */
export interface StoredSound {
  sampleRate: number;
  channels: (Float32Array | Int16Array)[];
}

/** An MP3 or WAV file that is read while it plays. If a WAV is cut off, `stated` frames should be there. */
export interface FileSound {
  readonly sampleRate: number;
  readonly channelCount: number;
  readonly frames: number;
  readonly stated?: number;
}

export interface ScaleSettings {
  /** Speed of playback, 0.01 … 100; 2 is twice as fast. */
  speed: number;
  /** Whether the pitch stays the same when the speed changes. */
  keepPitch: boolean;
  /** Semitones added to the pitch, −24 … 24. */
  semitones: number;
  /** Whether the formants, the resonances of a voice, follow the pitch or keep their
   * frequencies. */
  formants: "follow" | "keep";
  /** Semitones added to the formants, −24 … 24. */
  formantSemitones: number;
  /** Length of the analysis window with which the pitch is kept. */
  window: "auto" | "music" | "speech" | "low-latency";
  /** How values between frames are interpolated. */
  interpolation: "nearest" | "linear" | "smooth" | "cubic" | "sinc";
  /** Quality of `sinc`, 0 … 10. A higher one uses a longer filter. */
  quality: number;
}

export interface Loop {
  mode: "none" | "repeat" | "ping-pong";
  /** In seconds; null means the beginning of the sound. */
  start: number | null;
  /** In seconds; null means the end of the sound. */
  stop: number | null;
}

export const DEFAULTS: Readonly<ScaleSettings>;

/** Copies the samples of an AudioBuffer. */
export function soundOf(buffer: AudioBuffer): Sound;

/** Finds the frames of an MP3 of any length, without decoding it. Returns undefined if the file is no
 * MP3, or if the browser cannot decode parts of it: then use `decodeAudioData()`. */
export function soundOfMp3(file: Blob): Promise<FileSound | undefined>;

/** Finds the samples of a WAV file of any length, without reading them. Returns undefined if the file is
 * no WAV, or if its samples are compressed: then use `decodeAudioData()`. */
export function soundOfWav(file: Blob): Promise<FileSound | undefined>;

/**
 * Creates players and renders sounds. A value of the wrong type causes a TypeError, and one that is
 * out of range a RangeError, with a message that says what to use; nothing is changed then.
 */
export class Retrograde {
  private constructor();

  /** Fetches and compiles the WebAssembly module from `url`, by default from the folder of this
   * script. */
  static load(url?: URL | string): Promise<Retrograde>;

  /**
   * Reverses or scales a whole sound in a worker. n frames become floor(n / speed) frames. The
   * buffers of `sound` are transferred to the worker; copy them first if you still need them.
   */
  render(sound: Sound, settings?: Partial<ScaleSettings> & { reverse?: boolean }): Promise<Sound>;

  /** Creates a player. The buffers of `sound` are transferred to its worker. The context must have
   * the sample rate of the sound. */
  player(context: AudioContext, sound: StoredSound | FileSound): Promise<RetrogradePlayer>;
}

/** What a waveform needs to be drawn. */
export interface Peaks {
  /** Index of the first peak. A peak has 64 frames of all channels. */
  first: number;
  /** The lowest and the highest sample of each peak, in units of 1 / 127. */
  peaks: Int8Array;
  /** How much of the sound is there, 0 … 1. */
  loaded: number;
}

export interface Saving {
  /** The part to save, in seconds. By default, that's all. */
  start?: number | null;
  stop?: number | null;
  /** Called with the share that is done, 0 … 1. */
  told?: (share: number) => void;
}

export interface RetrogradePlayerEventMap {
  /** Dispatched many times a second. */
  position: Event;
  ended: Event;
  /** Dispatched for each part of the sound, in any order, once it is there. */
  peaks: CustomEvent<Peaks>;
  /** `detail` is the error message. */
  error: CustomEvent<string>;
}

/**
 * Plays a sound in memory, in two ways. `play()` uses the settings, and a worker computes about a
 * quarter of a second ahead. `shuttle()` and `scrub()` move the sound as a tape, which is heard at
 * once, and whose pitch follows its speed. Both use the loop.
 */
export class RetrogradePlayer extends EventTarget {
  private constructor();
  readonly node: AudioWorkletNode;
  readonly sampleRate: number;
  readonly frames: number;
  /** Duration of the sound in seconds. */
  readonly duration: number;
  readonly isPlaying: boolean;
  /** Number of render quanta of 128 frames that have been played. */
  readonly quanta: number;
  /** Number of these quanta for which the worker had not computed enough frames in time. */
  readonly underruns: number;
  /** Position in the sound in seconds that is heard now. Setting it seeks; the value is clamped to
   * the sound. A tape continues there at its speed. */
  position: number;
  /** Speed that is heard now: frames of the sound per frame of the output, below 0 backwards. */
  readonly speed: number;
  /** Whether playback is backwards: frame n is followed by n − 1 instead of n + 1. */
  isBackward: boolean;
  /** Assign the settings to change; the others stay. A change takes up to 20 ms of sound. */
  get settings(): ScaleSettings;
  set settings(changed: Partial<ScaleSettings>);
  /** A change takes effect at the end of the current pass. If `start` is after `stop`, they are
   * swapped; if no frame is between them, the whole sound is looped. */
  get loop(): Loop;
  set loop(changed: Partial<Loop>);

  /** Plays with the settings. */
  play(): void;
  pause(): void;
  turn(): void;
  /** Plays as a tape at `speed`, −8 … 8, from where it is. The speed changes linearly within
   * `seconds`, 0.005 by default. At 0 the tape rests. Below 0, `isBackward` becomes true. */
  shuttle(speed: number, seconds?: number): void;
  /** Moves to a position within `duration` seconds, 0.05 by default, as a tape is moved by hand, and
   * rests there until `play()` or `shuttle()`. It takes longer where it would be faster than 8, and
   * jumps over what would take a quarter of a second. At a duration of 0, it jumps there silently.
   * Call it for each move of a pointer. */
  scrub(seconds: number, duration?: number): void;
  /** Plays a part, once, in the current direction and with the settings, into a WAV file of 16 bits,
   * while the player may be heard. Only one file can be saved at a time. */
  save(asked?: Saving): Promise<Blob | undefined>;
  /** Ends `save()`, whose promise becomes undefined. */
  stopSaving(): void;
  /** Ends the worker and the worklet. The player cannot be used afterwards. */
  close(): void;

  addEventListener<Name extends keyof RetrogradePlayerEventMap>(
    type: Name, listener: (event: RetrogradePlayerEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener(
    type: string, listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions): void;
}
