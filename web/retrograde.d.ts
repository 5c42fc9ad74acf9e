// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/** A sound in memory. Each channel is an array of samples, all of equal length. */
export interface Sound {
  sampleRate: number;
  channels: Float32Array[];
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
  player(context: AudioContext, sound: Sound): Promise<RetrogradePlayer>;
}

export interface RetrogradePlayerEventMap {
  /** Dispatched many times a second. */
  position: Event;
  ended: Event;
  /** `detail` is the error message. */
  error: CustomEvent<string>;
}

/** Plays a sound in memory. A worker computes about a quarter of a second ahead. */
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
  /** Position in the sound in seconds. Setting it seeks; the value is clamped to the sound. */
  position: number;
  /** Whether playback is backwards: frame n is followed by n − 1 instead of n + 1. */
  isBackward: boolean;
  /** Assign the settings to change; the others stay. A change takes up to 20 ms of sound. */
  get settings(): ScaleSettings;
  set settings(changed: Partial<ScaleSettings>);
  /** A change takes effect at the end of the current pass. If `start` is after `stop`, they are
   * swapped; if no frame is between them, the whole sound is looped. */
  get loop(): Loop;
  set loop(changed: Partial<Loop>);

  play(): void;
  pause(): void;
  turn(): void;
  /** Seeks. If playback is paused, plays 80 ms there. Meant for a position that is being
   * dragged. */
  scrub(seconds: number): void;
  /** Ends the worker and the worklet. The player cannot be used afterwards. */
  close(): void;

  addEventListener<Name extends keyof RetrogradePlayerEventMap>(
    type: Name, listener: (event: RetrogradePlayerEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener(
    type: string, listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions): void;
}
