// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// <retrograde-hear>: a player with a waveform. Its attribute data-samples lists sounds as
// "Title=address", separated by "|". The first sound is loaded when playback begins.

import { ShuttleKeys } from "./keys.js";
import { bytesOf, fetched, whyUndecoded } from "./load.js";
import { Retrograde, soundOf } from "./retrograde.js";
import { drawPeaks, onDrag, peaksOf } from "./waveform.js";

const PEAKS = 4096;
const SEMITONES = 12;
/** A step of the keys , and . in seconds. */
const STEP = 0.01;
/** Events of the whole page. The first player of a page handles those outside of all players. */
const OF_PAGE = ["dragover", "drop", "keydown", "keyup"];
/** Events after which the page no longer hears of keys that are let go. */
const OF_WINDOW = ["pagehide", "blur"];

const PAGE = `
  <div class="wave">
    <canvas aria-hidden="true"></canvas>
    <div class="part" hidden></div>
    <button class="marker start" role="slider" aria-label="Start of the loop" hidden></button>
    <button class="marker stop" role="slider" aria-label="End of the loop" hidden></button>
    <div class="playhead" role="slider" tabindex="0" aria-label="Position" aria-valuenow="0"></div>
  </div>
  <div class="row main">
    <button class="play" aria-keyshortcuts="Space">▶ Play</button>
    <button class="turn" aria-keyshortcuts="R" aria-pressed="false">⇄ Turn around</button>
    <output class="time" aria-live="off">0:00.0</output>
  </div>
  <div class="row sounds">
    <label>Sound <select class="sample"></select></label>
    <label class="file">Open your own file …<input type="file" accept="audio/*,video/*"></label>
    <span class="hint"><span class="keys">Or drop one anywhere on this page. </span>It stays on your device.</span>
  </div>
  <p class="status" role="status"></p>
  <div class="row">
    <label>Speed <input class="speed" type="range" min="-2" max="2" step="0.01" value="0">
      <output>1.00 ×</output></label>
    <label><input class="keep" type="checkbox" checked> Keep the pitch</label>
    <label>Pitch <input class="semitones" type="range" min="-${SEMITONES}" max="${SEMITONES}"
      step="1" value="0"><output>0 semitones</output></label>
    <label title="The formants: what makes a voice sound like the same person at another pitch">
      <input class="formants" type="checkbox"> Keep the voice’s character</label>
    <label>Loop <select class="loop"><option value="none">off</option>
      <option value="repeat">repeat</option><option value="ping-pong">ping-pong</option>
      </select></label>
    <label title="How the pitch is kept: the property window of timescale">Tuned for <select class="window">
      <option value="auto">any sound</option><option value="music">music</option>
      <option value="speech">speech</option><option value="low-latency">low latency</option></select></label>
  </div>
  <p class="keys">Keys: Space plays and pauses (or presses the button that Tab has reached), R changes direction, ← → move by a second, O changes the loop.<br>
    Like a tape, whose pitch follows its speed: drag the waveform. L plays forwards, J backwards, and each press doubles the speed, up to 8 ×. K stops. Hold K to play slowly with J or L. Comma and full stop step by 10 ms.</p>`;

/** Formats a time in seconds as m:ss.s. */
const clock = (seconds) => {
  const tenths = Math.round(10 * seconds);
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
};

class Hear extends HTMLElement {
  #find(name) { return this.querySelector(name); }
  #peaks = new Float32Array(2);
  #context;
  #engine;
  #opening = Promise.resolve();
  /** The list entry of the open sound. */
  #entry;
  /** The player of the open sound, or undefined. */
  player;
  #keys = new ShuttleKeys();
  /** The speed of J or L without its sign, or 0. */
  #pace = 0;
  /** The aim of the last step of , or . or of the last drag, or undefined. */
  #stepped;
  /** The playback before a drag: "play", a speed of J or L, or undefined. */
  #before;
  #drawing;

  connectedCallback() {
    for (const kind of OF_PAGE) document.addEventListener(kind, this);
    for (const kind of OF_WINDOW) addEventListener(kind, this);
    if (this.querySelector(".wave")) return;
    this.innerHTML = PAGE;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Player");
    for (const sample of (this.dataset.samples ?? "").split("|").filter(Boolean)) {
      const [title, address] = sample.split("=");
      this.#find(".sample").append(new Option(title, address));
    }
    this.#showEntry();
    this.#listen();
    this.#apply();
    this.#preview();
    new ResizeObserver(() => drawPeaks(this.#find("canvas"), this.#peaks)).observe(this);
    matchMedia("(prefers-color-scheme: dark)").addEventListener(
      "change", () => drawPeaks(this.#find("canvas"), this.#peaks));
  }

  disconnectedCallback() {
    for (const kind of OF_PAGE) document.removeEventListener(kind, this);
    for (const kind of OF_WINDOW) removeEventListener(kind, this);
    this.#pause();
  }

  #pause() {
    if (!this.player) return;
    this.player.pause();
    this.#show();
  }

  #listen() {
    const on = (name, event, action) =>
      this.#find(name).addEventListener(event, (...all) => this.#try(() => action(...all)));
    on(".play", "click", () => this.playOrPause());
    on(".turn", "click", () => this.turn());
    on(".speed", "input", () => this.#apply());
    on(".keep", "change", () => this.#apply());
    on(".semitones", "input", () => this.#apply());
    on(".formants", "change", () => this.#apply());
    on(".window", "change", () => this.#apply());
    on(".loop", "change", () => this.#setLoop({ mode: this.#find(".loop").value }));
    on(".sample", "change", () => {
      const [entry] = this.#find(".sample").selectedOptions;
      return this.#inTurn(() => this.#load(entry));
    });
    on(".file input", "change", ({ target }) => {
      const [file] = target.files;
      target.value = "";  // allows the same file to be chosen again
      return file && this.open(file);
    });
    // after a click on a control, the keys must control playback, as after a click on the waveform
    this.addEventListener("click", ({ target, detail }) => {
      if (detail > 0 && target.matches("button:not(.marker)")) this.#find(".playhead").focus({ preventScroll: true });
    });
    this.#listenToWave();
  }

  /** Handles an event of the page. */
  handleEvent(event) {
    // the browser may keep a page in memory for the back button, and the sound would continue
    if (event.type === "pagehide") this.#pause();
    if (OF_WINDOW.includes(event.type)) return this.#keys.forget();
    if (event.type === "keyup") {
      if (this.#keys.release(event.key?.toLowerCase()) && this.player) this.#try(() => this.#shuttle(0));
      return;
    }
    const around = event.target.closest?.("retrograde-hear");
    if ((around ?? document.querySelector("retrograde-hear")) !== this) return;
    if (event.type !== "keydown") this.#drag(event);
    else if (around || event.target === document.body) this.#key(event);
  }

  #drag(event) {
    const { files, types } = event.dataTransfer;
    if (!types.includes("Files")) return;
    event.preventDefault();  // otherwise, the browser would leave the page to open the file
    if (event.type !== "drop" || files.length === 0) return;
    this.#try(async () => {
      await this.open(files[0]);
      if (files.length > 1) this.#say(`${files[0].name} is open. Only one file can be open at a time.`);
    });
  }

  #listenToWave() {
    const wave = this.#find(".wave");
    onDrag(wave, wave, (share) => this.#try(() => this.#scrubTo(share)), {
      pressed: (share) => this.#try(() => this.#hold(share)),
      released: () => this.#try(() => this.#release()),
    });
    for (const name of ["start", "stop"]) {
      const marker = this.#find(`.marker.${name}`);
      onDrag(marker, wave, (share) => this.#setLoop({ [name]: share * this.player.duration }));
      marker.addEventListener("keydown", (event) => this.#keyOfMarker(event, name));
    }
  }

  /** Performs `action`. If it fails, shows the message below the controls. */
  async #try(action) {
    try {
      this.#say("");
      await action();
    } catch (error) {
      this.#say(error.message);
    }
  }

  #say(sentence) { this.#find(".status").textContent = sentence; }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches(".playhead")) this.#keyOfPlayhead(event);
    if (event.defaultPrevented) return;
    // a slider needs only the arrow keys
    const isTyping = event.target.matches("select, input:not([type=range])") ||
      (event.target.matches("input") && event.key.startsWith("Arrow"));
    const isButton = event.target.matches("button:not(.marker)");
    const actions = {
      " ": () => !isButton && this.playOrPause(),
      r: () => this.turn(),
      o: () => this.#nextLoop(),
      j: () => this.#keyOfTape("j"),
      k: () => this.#keyOfTape("k"),
      l: () => this.#keyOfTape("l"),
      ",": () => this.#step(-STEP),
      ".": () => this.#step(STEP),
      ArrowLeft: () => this.#seek(this.player.position - 1),
      ArrowRight: () => this.#seek(this.player.position + 1),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action || isTyping || (event.key === " " && isButton)) return;
    event.preventDefault();
    // only arrow keys and steps may repeat while they are held down
    if (event.repeat && !/^(Arrow.*|[,.])$/.test(event.key)) return;
    if (this.player || " rRjJlL".includes(event.key)) this.#try(action);
  }

  async #keyOfTape(key) {
    const { player } = this;
    const now = player?.isPlaying ? this.#way * (this.#pace || 1) : 0;
    const speed = this.#keys.press(key, now);
    await this.#ready();
    this.#shuttle(speed);
  }

  get #way() { return this.player.isBackward ? -1 : 1; }

  #shuttle(speed) {
    this.#stepped = undefined;
    this.#pace = Math.abs(speed);
    this.player.shuttle(speed);
    this.#show();
  }

  /** Moves the tape by a step. Steps that follow each other count from where the last one leads. */
  #step(seconds) {
    const { player } = this;
    const from = player.isPlaying ? player.position : this.#stepped ?? player.position;
    this.#stepped = Math.min(Math.max(from + seconds, 0), player.duration);
    this.#context.resume();
    player.scrub(this.#stepped, 2 * STEP);
    this.#show();
  }

  /** Returns the position in seconds to which a key moves a slider of the waveform, or
   * undefined. */
  #moved(key, seconds, step) {
    const { duration } = this.player;
    return {
      ArrowLeft: seconds - step, ArrowDown: seconds - step, PageDown: seconds - 10 * step,
      ArrowRight: seconds + step, ArrowUp: seconds + step, PageUp: seconds + 10 * step,
      Home: 0, End: duration,
    }[key];
  }

  #keyOfPlayhead(event) {
    const seconds = this.player && this.#moved(event.key, this.player.position, 1);
    if (seconds === undefined) return;
    event.preventDefault();
    this.#seek(seconds);
  }

  #keyOfMarker(event, name) {
    const seconds = this.#moved(event.key, this.player.loop[name], 0.1);
    if (seconds === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#setLoop({ [name]: seconds });
  }

  // Sounds

  /** Draws the waveform of the first sample before playback, for which browsers require a click. */
  async #preview() {
    const address = this.#find(".sample").value;
    if (!address) return;
    try {
      const response = await fetch(address);
      const decoder = new OfflineAudioContext(1, 1, 44100);
      const buffer = await decoder.decodeAudioData(await response.arrayBuffer());
      if (this.player) return;
      this.#peaks = peaksOf(soundOf(buffer), PEAKS);
      drawPeaks(this.#find("canvas"), this.#peaks);
      this.#find(".time").textContent = `${clock(0)} of ${clock(buffer.duration)}`;
    } catch {
      // playback fetches the sample again, and then shows an error
    }
  }

  /** Performs one `open` after another, so that no player of an earlier sound remains. */
  #inTurn(open) {
    const opened = this.#opening.then(open);
    this.#opening = opened.catch(() => {});
    return opened;
  }

  /** Opens the sound of a list entry. If this fails, the current sound stays open. */
  async #load(entry) {
    try {
      this.#say(`Loading ${entry.text} …`);
      await this.#openBytes(await (entry.file ? bytesOf(entry.file) : fetched(entry.value)), entry);
      if (entry.file) this.#keepAlone(entry);
      this.#entry = entry;
      this.#say("");
    } finally {
      this.#showEntry();
    }
  }

  /** Opens a file that the visitor has chosen or dropped. */
  open(file) {
    const entry = new Option(file.name);
    entry.file = file;
    return this.#inTurn(() => this.#load(entry));
  }

  /** Adds the entry of a file to the list, in place of that of the previous file. */
  #keepAlone(entry) {
    const list = this.#find(".sample");
    for (const other of [...list.options]) {
      if (other.file && other !== entry) other.remove();
    }
    if (!entry.parentNode) list.append(entry);
  }

  /** Selects the open sound in the list. */
  #showEntry() {
    const list = this.#find(".sample");
    if (this.#entry) this.#entry.selected = true;
    list.closest("label").hidden = list.length === 0;
  }

  async #openBytes(bytes, { text, file }) {
    this.#context ??= new AudioContext();
    this.#engine ??= await Retrograde.load();
    let buffer;
    try {
      buffer = await this.#context.decodeAudioData(bytes);
    } catch {
      throw new Error(whyUndecoded(text, file));
    }
    if (buffer.length === 0) throw new Error(`${text} has no sound in it: open another one.`);
    const sound = soundOf(buffer);
    this.#peaks = peaksOf(sound, PEAKS);
    const wasPlaying = this.player?.isPlaying;
    this.#pace = 0;
    this.player?.close();
    this.player = await this.#engine.player(this.#context, sound);
    this.player.node.connect(this.#context.destination);
    for (const event of ["position", "ended"]) {
      this.player.addEventListener(event, () => this.#draw());
    }
    this.player.addEventListener("error", ({ detail }) => this.#say(detail));
    drawPeaks(this.#find("canvas"), this.#peaks);
    this.#apply();
    this.#setLoop({ mode: this.#find(".loop").value });
    if (wasPlaying) this.player.play();
    this.#show();
  }

  /** Returns the player. If no sound is open, opens the selected one first. */
  async #opened() {
    if (!this.player) {
      const [entry] = this.#find(".sample").selectedOptions;
      if (!entry) throw new Error("There is no sound yet: open a file of your own.");
      await this.#inTurn(() => this.player ?? this.#load(entry));
    }
    return this.player;
  }

  /** Returns the player after the audio context has started. */
  async #ready() {
    const player = await this.#opened();
    if (this.#context.state !== "running") {
      // Firefox waits here while there is no audio device
      this.#say("Waiting for the sound output of this device …");
      await this.#context.resume();
      this.#say("");
    }
    return player;
  }

  // Controls

  async playOrPause() {
    // a second press while the first sound is loading must not pause it
    const isOpen = Boolean(this.player);
    const player = await this.#ready();
    this.#stepped = undefined;
    this.#pace = 0;
    if (isOpen && player.isPlaying) player.pause();
    else player.play();
    this.#show();
  }

  async turn() {
    const player = await this.#ready();
    player.turn();
    this.#show();
  }

  #seek(seconds) {
    this.#stepped = undefined;
    this.player.position = seconds;
    this.#show();
  }

  /** A hand is laid on the sound at a fraction of it. If no sound is open, opens the selected one
   * first. */
  async #hold(share) {
    const player = this.player ?? await this.#opened();
    // a browser starts a context only in response to a click or key
    this.#context.resume();
    this.#before = player.isPlaying ? this.#way * this.#pace || "play" : undefined;
    this.#scrubTo(share, 0);
  }

  /** The hand moves the sound. */
  #scrubTo(share, duration) {
    if (!this.player) return;
    this.#stepped = share * this.player.duration;
    this.player.scrub(this.#stepped, duration);
    this.#show();
  }

  /** The hand lets go, and what was played before continues. */
  #release() {
    const before = this.#before;
    this.#before = undefined;
    if (before === undefined) return;
    this.player.position = this.#stepped;
    if (before === "play") this.player.play();
    else this.player.shuttle(before);
    this.#show();
  }

  #apply() {
    const speed = 2 ** Number(this.#find(".speed").value);
    const semitones = Number(this.#find(".semitones").value);
    this.#find(".speed + output").textContent = `${speed.toFixed(2)} ×`;
    this.#find(".semitones + output").textContent = `${semitones} ${Math.abs(semitones) === 1 ? "semitone" : "semitones"}`;
    this.#find(".speed").setAttribute("aria-valuetext", `${speed.toFixed(2)} times`);
    this.#find(".semitones").setAttribute("aria-valuetext", `${semitones} semitones`);
    if (!this.player) return;
    this.player.settings = {
      speed, semitones, keepPitch: this.#find(".keep").checked, window: this.#find(".window").value,
      formants: this.#find(".formants").checked ? "keep" : "follow",
    };
  }

  #nextLoop() {
    const select = this.#find(".loop");
    select.selectedIndex = (select.selectedIndex + 1) % select.length;
    this.#setLoop({ mode: select.value });
  }

  /** Changes some values of the loop. The first loop gets markers at both ends of the sound, so
   * that they can be dragged. */
  #setLoop(changed) {
    if (!this.player) return;
    const { duration } = this.player;
    const loop = { ...this.player.loop, ...changed };
    if (loop.mode !== "none" && loop.start === null) {
      Object.assign(loop, { start: 0, stop: duration });
    }
    for (const name of ["start", "stop"]) {
      if (loop[name] !== null) loop[name] = Math.min(Math.max(loop[name], 0), duration);
    }
    this.player.loop = loop;
    this.#show();
  }

  /** Shows the state at the next frame of the screen. */
  #draw() {
    this.#drawing ??= requestAnimationFrame(() => {
      this.#drawing = undefined;
      this.#show();
    });
  }

  #show() {
    const { player } = this;
    const share = (seconds) => `${(100 * seconds) / player.duration}%`;
    this.#find(".play").textContent = player.isPlaying ? "❚❚ Pause" : "▶ Play";
    this.#find(".turn").setAttribute("aria-pressed", String(player.isBackward));
    const way = player.isBackward ? ", backwards" : "";
    const speed = player.isPlaying && this.#pace !== 0 ? `, ${this.#pace} ×` : "";
    this.#find(".time").textContent = `${clock(player.position)} of ${clock(player.duration)}${way}${speed}`;
    const place = (name, seconds) => {
      const slider = this.#find(name);
      slider.style.left = share(seconds);
      slider.setAttribute("aria-valuemin", "0");
      slider.setAttribute("aria-valuemax", player.duration.toFixed(1));
      slider.setAttribute("aria-valuenow", seconds.toFixed(1));
      slider.setAttribute("aria-valuetext", clock(seconds));
    };
    place(".playhead", player.position);
    const { mode, start, stop } = player.loop;
    for (const [name, at] of [["start", start], ["stop", stop]]) {
      this.#find(`.marker.${name}`).hidden = mode === "none";
      place(`.marker.${name}`, at ?? 0);
    }
    const part = this.#find(".part");
    part.hidden = mode === "none";
    part.style.left = share(Math.min(start ?? 0, stop ?? 0));
    part.style.width = share(Math.abs((stop ?? 0) - (start ?? 0)));
  }
}

customElements.define("retrograde-hear", Hear);
