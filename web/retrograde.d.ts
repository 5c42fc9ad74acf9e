// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/** A sound in memory: planes of equal length. */
export interface Sound {
  sampleRate: number;
  channels: Float32Array[];
}

export interface ScaleSettings {
  /** Speed, 0.01 … 100; 2 is twice as fast. */
  speed: number;
  /** Whether the pitch stays the same when the speed changes. */
  keepPitch: boolean;
  /** Semitones added to the pitch, −24 … 24. */
  semitones: number;
  /** Whether the resonances of a voice follow the pitch. */
  formants: "follow" | "keep";
  /** Semitones added to the formants, −24 … 24. */
  formantSemitones: number;
  /** Length of the analysis window with which the pitch is kept. */
  window: "auto" | "music" | "speech" | "low-latency";
  /** How values between two frames are interpolated. */
  interpolation: "nearest" | "linear" | "smooth" | "cubic" | "sinc";
  /** Length of the filter of `sinc`, 0 … 10. */
  quality: number;
}

export interface Loop {
  mode: "none" | "repeat" | "ping-pong";
  /** Seconds; null: the beginning of the sound. */
  start: number | null;
  /** Seconds; null: the end of the sound. */
  stop: number | null;
}

export const DEFAULTS: Readonly<ScaleSettings>;

/** The planes of an AudioBuffer, which belong to the caller. */
export function soundOf(buffer: AudioBuffer): Sound;

/**
 * A value that is out of range causes a RangeError, and one of the wrong type a TypeError, each
 * with a sentence that says what to use. Nothing is changed then.
 */
export class Retrograde {
  private constructor();

  /** Fetches and compiles the module; without `url`, from the folder of this script. */
  static load(url?: URL | string): Promise<Retrograde>;

  /**
   * Reverses or scales a whole sound in a worker: n frames become floor(n / speed). The samples of
   * `sound` are transferred to the worker; copy them first if you still need them.
   */
  render(sound: Sound, settings?: Partial<ScaleSettings> & { reverse?: boolean }): Promise<Sound>;

  /** Makes a player, to which the samples of `sound` are transferred. The context must have the
   * sample rate of the sound. */
  player(context: AudioContext, sound: Sound): Promise<RetrogradePlayer>;
}

export interface RetrogradePlayerEventMap {
  /** Several times a second. */
  position: Event;
  ended: Event;
  /** `detail` is a sentence about the error. */
  error: CustomEvent<string>;
}

/** Plays a sound in memory, with a worker that computes about a quarter of a second in advance. */
export class RetrogradePlayer extends EventTarget {
  private constructor();
  readonly node: AudioWorkletNode;
  readonly sampleRate: number;
  readonly frames: number;
  /** Duration of the sound in seconds. */
  readonly duration: number;
  readonly isPlaying: boolean;
  /** Number of quanta of 128 frames that were played. */
  readonly quanta: number;
  /** Number of quanta for which no audio was ready in time. */
  readonly underruns: number;
  /** Position in the sound in seconds; setting it seeks. Values outside the sound are clamped. */
  position: number;
  /** The direction: frame n is followed by n − 1 or n + 1. */
  isBackward: boolean;
  /** Assigning changes the given settings within 20 ms of sound; the others stay. */
  get settings(): ScaleSettings;
  set settings(changed: Partial<ScaleSettings>);
  /** Takes effect at the end of the current pass. Crossed markers are swapped; if nothing is
   * between them, the whole sound is the loop. */
  get loop(): Loop;
  set loop(changed: Partial<Loop>);

  play(): void;
  pause(): void;
  turn(): void;
  /** Seeks, and plays 80 ms there if paused: for a position that is being dragged. */
  scrub(seconds: number): void;
  /** Ends the worker and the worklet. */
  close(): void;

  addEventListener<Name extends keyof RetrogradePlayerEventMap>(
    type: Name, listener: (event: RetrogradePlayerEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions): void;
  addEventListener(
    type: string, listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions): void;
}
