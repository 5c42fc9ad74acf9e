// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

/** A sound in memory: planes of equal length. */
export interface Sound {
  sampleRate: number;
  channels: Float32Array[];
}

export interface ScaleSettings {
  /** 0.01 … 100; 2 is twice as fast. */
  speed: number;
  /** Whether the pitch stays where it is when the speed changes. */
  keepPitch: boolean;
  /** −24 … 24, added to the pitch. */
  semitones: number;
  /** Whether the resonances of a voice follow the pitch. */
  formants: "follow" | "keep";
  /** −24 … 24, added to the formants. */
  formantSemitones: number;
  /** Length of the window of the kept pitch. */
  window: "auto" | "music" | "speech" | "low-latency";
  /** How a value between two frames is found. */
  interpolation: "nearest" | "linear" | "smooth" | "cubic" | "sinc";
  /** 0 … 10, length of the filter of `sinc`. */
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

/** An AudioBuffer as planes, which belong to the caller. */
export function soundOf(buffer: AudioBuffer): Sound;

/**
 * What is out of range ends in a RangeError, and what is no number, no name or no sound in a
 * TypeError; either has a sentence that says what to use. Nothing has changed then.
 */
export class Retrograde {
  private constructor();

  /** Fetches and compiles the module, from beside this script if no `url` is given. */
  static load(url?: URL | string): Promise<Retrograde>;

  /**
   * Turns all of a sound around, or scales it, in a worker: n frames become floor(n / speed).
   * The samples of `sound` move to the worker; copy them first if you still need them.
   */
  render(sound: Sound, settings?: Partial<ScaleSettings> & { reverse?: boolean }): Promise<Sound>;

  /** Makes a player, which takes over the samples of `sound`. The context has its sample rate. */
  player(context: AudioContext, sound: Sound): Promise<RetrogradePlayer>;
}

export interface RetrogradePlayerEventMap {
  /** Several times a second. */
  position: Event;
  ended: Event;
  /** `detail` is a sentence. */
  error: CustomEvent<string>;
}

/** Plays a sound that lies in memory, by a worker that computes about a quarter of a second ahead. */
export class RetrogradePlayer extends EventTarget {
  private constructor();
  readonly node: AudioWorkletNode;
  readonly sampleRate: number;
  readonly frames: number;
  /** Seconds of the sound. */
  readonly duration: number;
  readonly isPlaying: boolean;
  /** Quanta of 128 frames that were played. */
  readonly quanta: number;
  /** Those of them for which no sound was ready in time. */
  readonly underruns: number;
  /** Seconds of the sound; to set it is to seek. Outside of the sound, its nearer end counts. */
  position: number;
  /** The direction: after frame n comes n − 1, or n + 1. */
  isBackward: boolean;
  /** Those that are set change, within 20 ms of sound; the others stay. */
  get settings(): ScaleSettings;
  set settings(changed: Partial<ScaleSettings>);
  /** Takes effect at the end of the pass that is playing. Crossed markers are exchanged; without
   * anything between them, the whole sound is the loop. */
  get loop(): Loop;
  set loop(changed: Partial<Loop>);

  play(): void;
  pause(): void;
  turn(): void;
  /** Seeks, and lets 80 ms be heard there if play is paused: for a place that is dragged. */
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
