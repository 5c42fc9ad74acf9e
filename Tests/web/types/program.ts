// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// A program that uses all declarations of retrograde.d.ts. tsc must accept the program, but refuse
// each line after a comment that expects an error.

import {
  DEFAULTS, Loop, Retrograde, RetrogradePlayer, RetrogradePlayerEventMap, ScaleSettings, Sound, soundOf, soundOfMp3, soundOfWav,
} from "../../../web/retrograde.js";

export async function play(button: HTMLButtonElement, address: string): Promise<RetrogradePlayer> {
  const context = new AudioContext();
  const file = await fetch(address);
  const buffer = await context.decodeAudioData(await file.arrayBuffer());
  const engine = await Retrograde.load(new URL("retrograde.wasm", location.href));
  const player = await engine.player(context, soundOf(buffer));
  player.node.connect(context.destination);
  player.settings = { speed: 0.75, keepPitch: true, formants: "keep", window: "low-latency" };
  player.isBackward = true;
  player.position = player.duration;
  player.loop = { mode: "ping-pong", start: 1, stop: null };
  player.addEventListener("position", () => { button.textContent = `${player.position} of ${player.duration}`; });
  player.addEventListener("error", ({ detail }) => { button.textContent = detail.toUpperCase(); });
  player.addEventListener("ended", () => player.close(), { once: true });
  button.onclick = () => (player.isPlaying ? player.pause() : player.play());
  button.ondblclick = () => player.turn();
  button.onpointermove = ({ clientX }) => player.scrub(clientX / 100, player.speed === 0 ? 0.1 : undefined);
  button.onpointerup = () => player.shuttle(-2, 0.5);
  const { speed, interpolation }: ScaleSettings = player.settings;
  const { start }: Loop = player.loop;
  console.log(speed, interpolation, start ?? 0, player.underruns / player.quanta, player.frames / player.sampleRate);
  return player;
}

export async function saved(engine: Retrograde, file: Blob): Promise<Blob | undefined> {
  const sound = await soundOfMp3(file) ?? await soundOfWav(file);
  const channels = [new Int16Array(9), new Float32Array(9)];
  const context = new AudioContext({ sampleRate: sound?.sampleRate ?? 8000 });
  const player = await engine.player(context, sound ?? { sampleRate: 8000, channels });
  player.addEventListener("peaks", ({ detail }) => console.log(detail.first + detail.peaks.length, detail.loaded));
  setTimeout(() => player.stopSaving(), 1000);
  return player.save({ start: player.loop.start, told: (share) => console.log(share) });
}

export async function turnedAround(engine: Retrograde, sound: Sound): Promise<Float32Array> {
  const { channels } = await engine.render(sound, { ...DEFAULTS, reverse: true, interpolation: "cubic" });
  return channels[0];
}

export function refused(engine: Retrograde, player: RetrogradePlayer, context: AudioContext): void {
  // @ts-expect-error there is no such name
  player.settings = { tempo: 2 };
  // @ts-expect-error no number
  player.settings = { speed: "fast" };
  // @ts-expect-error no such interpolation
  player.settings = { interpolation: "sync" };
  // @ts-expect-error no such window
  player.settings = { window: "voice" };
  // @ts-expect-error no such loop
  player.loop = { mode: "pingpong" };
  // @ts-expect-error read-only
  player.isPlaying = true;
  // @ts-expect-error read-only
  DEFAULTS.speed = 2;
  // @ts-expect-error a sound is no AudioBuffer
  engine.player(context, context.createBuffer(1, 1, 48000));
  // @ts-expect-error an engine makes players
  new RetrogradePlayer(context, engine);
}

/** The names of all members of a player. tsc refuses this object if a name is missing or unknown. */
export const members: Record<Exclude<keyof RetrogradePlayer, keyof EventTarget>, true> = {
  node: true, sampleRate: true, frames: true, duration: true, isPlaying: true, quanta: true, underruns: true,
  position: true, isBackward: true, settings: true, loop: true, play: true, pause: true, turn: true, scrub: true,
  speed: true, shuttle: true, save: true, stopSaving: true, close: true,
};

export const events: Record<keyof RetrogradePlayerEventMap, true> = { position: true, ended: true, peaks: true, error: true };
export const defaults: Record<keyof ScaleSettings, true> = {
  speed: true, keepPitch: true, semitones: true, formants: true, formantSemitones: true, window: true,
  interpolation: true, quality: true,
};
