// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// <retrograde-hear>: a player with a waveform. Its attribute data-samples lists sounds as
// "Title=address", separated by "|". The first sound is loaded when playback begins.

import { ShuttleKeys } from "./keys.js";
import { LAYOUT } from "./layout.js";
import { decoded, fetched, readable } from "./load.js";
import { showMedia } from "./media.js";
import { peaksOf } from "./peaks.js";
import { Pieces } from "./pieces.js";
import { Retrograde, soundOf, soundOfMp3, soundOfWav } from "./retrograde.js";
import { clock, secondsOf, withMarker } from "./times.js";
import { onDrag, Waveform } from "./waveform.js";

/** A step of the keys , and . and of a marker, in seconds. */
const STEP = 0.01;
/** Events of the whole page. The first player of a page handles those outside of all players. */
const OF_PAGE = ["dragover", "dragleave", "drop", "keydown", "keyup"];
/** Events after which the page no longer hears of keys that are let go. */
const OF_WINDOW = ["pagehide", "blur"];
/** The controls whose values are kept for a sound. */
const KEPT = [".speed", ".speed-number", ".semitones", ".semitones-number"];
/** The sliders, with the values that a double click sets. */
const RESETS = { ".speed": 0, ".semitones": 0, ".volume": 100 };

/** What lasts until the next visit. Undefined if the visitor lets pages keep nothing. */
const store = () => {
  try { return localStorage; } catch { return undefined; }
};
/** What the visitor left last: a sound's name, its loop and position, and the values of the controls. */
const left = () => JSON.parse(store()?.getItem("retrograde") ?? "null");

class Hear extends HTMLElement {
  #find(name) { return this.querySelector(name); }
  #waveform;
  #context;
  #volume;
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
    this.innerHTML = LAYOUT;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", "Player");
    for (const sample of (this.dataset.samples ?? "").split("|").filter(Boolean)) {
      const [title, address] = sample.split("=");
      this.#find(".sample").append(new Option(title, address));
    }
    this.#waveform = new Waveform(this.#find(".stage"), (can) => {
      this.#find(".out").disabled = !can.out;
      this.#find(".in").disabled = !can.in;
    });
    this.#showEntry();
    this.#listen();
    this.#apply();
    this.#preview();
    const before = left();
    if (before?.position > 0) this.#say(`You left ${before.name} at ${clock(before.position)}: open it again to go on from there.`);
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
    this.#showMedia();
  }

  #listen() {
    const on = (name, event, action) =>
      this.#find(name).addEventListener(event, (...all) => this.#try(() => action(...all)));
    on(".play", "click", () => this.playOrPause());
    on(".turn", "click", () => this.turn());
    const set = (name, value) => {
      this.#find(name).value = value;
      this.#apply();
    };
    on(".speed", "input", ({ target }) => set(".speed-number", (2 ** target.value).toFixed(2)));
    on(".speed-number", "input", ({ target }) => set(".speed", Math.log2(target.value || 1)));
    on(".semitones", "input", ({ target }) => set(".semitones-number", target.value));
    on(".semitones-number", "input", ({ target }) => set(".semitones", target.value));
    for (const name of [".speed-number", ".semitones-number"]) {
      on(name, "change", ({ target }) => {
        target.value = Math.min(Math.max(target.value, target.min), target.max);
        this.#apply();
      });
    }
    for (const preset of this.querySelectorAll(".preset")) {
      preset.addEventListener("click", () => {
        this.#find(".speed").value = Math.log2(preset.value);
        set(".speed-number", Number(preset.value).toFixed(2));
      });
    }
    for (const [name, value] of Object.entries(RESETS)) {
      on(name, "dblclick", ({ target }) => {
        target.value = value;
        target.dispatchEvent(new Event("input"));
      });
    }
    for (const name of [".keep", ".formants", ".window"]) on(name, "change", () => this.#apply());
    on(".original", "click", () => this.#compare());
    on(".volume", "input", () => this.#applyVolume());
    on(".in", "click", () => this.#zoomBy(2));
    on(".out", "click", () => this.#zoomBy(1 / 2));
    on(".save", "click", () => this.#save());
    for (const name of ["start", "stop"]) {
      on(`.${name}-time`, "change", ({ target }) => this.#setTime(name, target.value));
      on(`.${name}-time`, "input", ({ target }) => { target.dataset.typed = "yes"; });
      on(`.${name}-time`, "blur", ({ target }) => { delete target.dataset.typed; });
      on(`.${name}-time`, "keydown", (event) => this.#keyOfTime(event, name));
    }
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
      if (detail > 0 && target.matches("button")) this.#find(".playhead").focus({ preventScroll: true });
    });
    // what's typed into a number or a time replaces it
    this.addEventListener("focusin", ({ target }) => target.matches("input[size], input[type=number]") && target.select());
    this.#listenToWave();
  }

  /** Handles an event of the page. */
  handleEvent(event) {
    // the browser may keep a page in memory for the back button, and the sound would continue
    if (event.type === "pagehide" && this.player) {
      this.#pause();
      this.#keep();
    }
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
    // a pointer that leaves the page enters no other element
    this.classList.toggle("dropping", event.type === "dragover" || (event.type === "dragleave" && event.relatedTarget !== null));
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
      this.#say(error.message, true);
    }
  }

  #say(sentence, isError = false) {
    this.#find(".status").textContent = sentence;
    this.#find(".status").classList.toggle("error", isError);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches(".playhead")) this.#keyOfPlayhead(event);
    if (event.defaultPrevented) return;
    // a slider needs only the arrow keys
    const isTyping = event.target.matches("select, input:not([type=range])") ||
      (event.target.matches("input") && event.key.startsWith("Arrow"));
    const isButton = event.target.matches("button, summary");
    const actions = {
      " ": () => !isButton && this.playOrPause(),
      r: () => this.turn(),
      o: () => this.#nextLoop(),
      a: () => this.#mark("start"),
      b: () => this.#mark("stop"),
      A: () => this.#nudge("start", -STEP),
      B: () => this.#nudge("stop", -STEP),
      c: () => this.#compare(),
      "+": () => this.#zoomBy(2),
      "=": () => this.#zoomBy(2),
      "-": () => this.#zoomBy(1 / 2),
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
    if (event.repeat && !/^(Arrow.*|[,.AB])$/.test(event.key)) return;
    if (this.player || " rRjJlLcC+=-".includes(event.key)) this.#try(action);
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
    const seconds = this.#moved(event.key, this.player.loop[name], STEP);
    if (seconds === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#setLoop({ [name]: seconds });
  }

  #keyOfTime(event, name) {
    const step = { ArrowUp: STEP, ArrowDown: -STEP }[event.key];
    if (!step) return;
    event.preventDefault();
    this.#nudge(name, step);
  }

  #nudge(name, step) {
    const { loop } = this.player;
    if (loop.mode !== "none") this.#setLoop({ [name]: loop[name] + step });
  }

  #setTime(name, text) {
    delete this.#find(`.${name}-time`).dataset.typed;
    const seconds = secondsOf(text);
    if (seconds !== undefined) return this.#setLoop({ [name]: seconds });
    this.#show();
    throw new Error(`“${text}” is no time: write minutes and seconds, such as 1:15.5.`);
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
      this.#waveform.open(buffer.length, buffer.sampleRate);
      this.#waveform.add(0, peaksOf(Pieces.of(soundOf(buffer)), 0, buffer.length));
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
      const blob = entry.file ? await readable(entry.file) : new Blob([await fetched(entry.value)]);
      const goesOn = left()?.name === entry.text ? `${entry.text} goes on as you left it.` : "";
      const { frames, stated = frames, sampleRate } = await this.#openBlob(blob, entry.text);
      if (entry.file) this.#keepAlone(entry);
      this.#entry = entry;
      const [there, all] = [frames, stated].map((count) => clock(count / sampleRate));
      this.#say(there === all ? goesOn : `${entry.text} is cut off: ${there} of ${all} is there.`);
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

  #contextAt(sampleRate) {
    if (this.#context?.sampleRate === sampleRate) return this.#context;
    this.#context?.close();
    this.#context = new AudioContext({ sampleRate });
    this.#volume = this.#context.createGain();
    this.#volume.connect(this.#context.destination);
    this.#applyVolume();
    return this.#context;
  }

  async #openBlob(blob, name) {
    this.#engine ??= await Retrograde.load();
    // meanwhile, the sound that is open plays on
    const sound = await soundOfMp3(blob) ?? await soundOfWav(blob) ?? await decoded(blob, name, (sentence) => this.#say(sentence));
    const before = this.player;
    const { isPlaying = false, isBackward = false } = before ?? {};
    before?.close();
    this.#stepped = undefined;
    this.#pace = 0;
    const player = await this.#engine.player(this.#contextAt(sound.sampleRate), sound);
    this.player = player;
    this.#waveform.open(player.frames, player.sampleRate);
    player.node.connect(this.#volume);
    for (const event of ["position", "ended"]) player.addEventListener(event, () => this.#draw());
    player.addEventListener("ended", () => this.#showMedia());
    player.addEventListener("peaks", ({ detail }) => this.#addPeaks(detail));
    player.addEventListener("error", ({ detail }) => this.#say(detail, true));
    this.#apply();
    this.#setLoop({ mode: this.#find(".loop").value });
    player.isBackward = isBackward;
    if (isBackward) player.position = player.duration;
    this.#restore(name);
    if (isPlaying) this.#play();
    this.#show();
    return sound;
  }

  /** Keeps what the open sound plays, and where, until it's opened again or another one is left. */
  #keep() {
    const values = KEPT.map((name) => this.#find(name).value);
    const { loop, position } = this.player;
    store()?.setItem("retrograde", JSON.stringify({ name: this.#entry.text, values, loop, position }));
  }

  /** Continues where the page was left, if a sound of this name was open. Speed and pitch that the
   * visitor has already changed stay. */
  #restore(name) {
    const kept = left();
    if (kept?.name !== name) return;
    store().removeItem("retrograde");
    const isNew = KEPT.every((control) => this.#find(control).value === this.#find(control).defaultValue);
    if (isNew) KEPT.forEach((control, index) => { this.#find(control).value = kept.values[index]; });
    this.#apply();
    this.#find(".loop").value = kept.loop.mode;
    this.#setLoop(kept.loop);
    this.player.position = kept.position;
  }

  #addPeaks({ first, peaks, loaded }) {
    this.#waveform.add(first, peaks);
    this.#find(".loading").value = loaded;
    this.#find(".loading").hidden = loaded === 1;
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
    if (isOpen && player.isPlaying) this.#pause();
    else this.#play();
  }

  #play() {
    this.player.play();
    this.#show();
    this.#showMedia();
  }

  /** Plays in the other direction, from the other end if there is nothing left. */
  async turn() {
    const player = await this.#ready();
    this.#stepped = undefined;
    player.turn();
    if (!player.isPlaying) this.#play();
    this.#show();
  }

  #seek(seconds) {
    this.#stepped = undefined;
    this.player.position = seconds;
    this.#show();
    this.#waveform.follow(seconds / this.player.duration, this.player.isBackward);
    this.#showMedia();
  }

  #showMedia() {
    const { player } = this;
    const move = (seconds) => () => this.#seek(player.position + seconds);
    showMedia(this.#entry?.text ?? "Retrograde", player, {
      play: () => this.#play(), pause: () => this.#pause(), stop: () => this.#pause(),
      seekbackward: move(-5), seekforward: move(5), seekto: ({ seekTime }) => this.#seek(seekTime),
    });
  }

  #compare() {
    const isOriginal = this.#find(".original").getAttribute("aria-pressed") === "false";
    this.#apply(isOriginal);
    if (isOriginal) this.#say("This is the original speed and pitch, until you press the button again or change one.");
  }

  /** Saves the sound, or its loop, as it is heard. */
  async #save() {
    const player = await this.#opened();
    const bar = this.#find(".saving");
    if (!bar.hidden) return player.stopSaving();
    const { mode, start, stop } = player.loop;
    const told = (share) => { bar.value = share; };
    bar.hidden = false;
    told(0);
    this.#showSaving();
    let file;
    try {
      file = await player.save(mode === "none" ? { told } : { start, stop, told });
    } finally {
      bar.hidden = true;
      this.#showSaving();
    }
    if (!file) return undefined;
    const { speed, semitones } = player.settings;
    const about = [speed !== 1 && `${speed}x`, semitones !== 0 && `${semitones} semitones`, player.isBackward && "backwards"];
    const name = [this.#entry.text.replace(/\.\w+$/, ""), ...about.filter(Boolean)].join(", ");
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `${name}.wav` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    return undefined;
  }

  #showSaving() {
    const isLoop = this.#find(".loop").value !== "none";
    this.#find(".save").textContent = !this.#find(".saving").hidden ? "Cancel" : isLoop ? "Save the loop as WAV" : "Save as WAV";
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

  /** Applies the controls, or the original speed and pitch. */
  #apply(isOriginal = false) {
    this.#find(".original").setAttribute("aria-pressed", String(isOriginal));
    const speed = Number(this.#find(".speed-number").value) || 1;
    const semitones = Number(this.#find(".semitones-number").value);
    this.#find(".speed").setAttribute("aria-valuetext", `${speed.toFixed(2)} times`);
    this.#find(".semitones").setAttribute("aria-valuetext", `${semitones} ${Math.abs(semitones) === 1 ? "semitone" : "semitones"}`);
    for (const preset of this.querySelectorAll(".preset")) {
      preset.setAttribute("aria-pressed", String(Number(preset.value) === speed));
    }
    if (!this.player) return;
    const clamped = (number, most) => Math.min(Math.max(number, -most), most);
    const changed = isOriginal ? { speed: 1, semitones: 0 } :
      { speed: Math.min(Math.max(speed, 0.1), 10), semitones: clamped(semitones, 24) };
    this.player.settings = {
      ...changed, keepPitch: this.#find(".keep").checked, window: this.#find(".window").value,
      formants: this.#find(".formants").checked ? "keep" : "follow",
    };
  }

  #applyVolume() {
    const share = this.#find(".volume").value / 100;
    // equal steps of a fader sound equal
    this.#volume?.gain.setTargetAtTime(share ** 2, this.#context.currentTime, 0.01);
  }

  #nextLoop() {
    const select = this.#find(".loop");
    select.selectedIndex = (select.selectedIndex + 1) % select.length;
    this.#setLoop({ mode: select.value });
  }

  /** Sets a marker where the sound is, and begins to loop. */
  #mark(name) {
    const { player } = this;
    const loop = withMarker(player.loop, name, player.position, player.duration);
    this.#find(".loop").value = loop.mode;
    this.#setLoop(loop);
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
    const [first, last] = loop.start < loop.stop ? [loop.start, loop.stop] : [loop.stop, loop.start];
    const { position, isBackward } = this.player;
    // outside of it, the sound would first play to its end
    if (loop.mode !== "none" && (position < first || position > last)) this.#seek(isBackward ? last : first);
    this.#show();
  }

  #zoomBy(factor) { this.#waveform.zoomBy(factor, this.player ? this.player.position / this.player.duration : 0); }

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
    this.#find(".play").textContent = player.isPlaying ? "❚❚ Pause" : player.isBackward ? "◀ Play" : "▶ Play";
    this.#find(".turn").textContent = player.isBackward ? "▶ Play forwards" : "◀ Play backwards";
    this.#find(".main").classList.toggle("backwards", player.isBackward);
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
    if (player.isPlaying) this.#waveform.follow(player.position / player.duration, player.isBackward);
    const { mode, start, stop } = player.loop;
    for (const [name, at] of [["start", start], ["stop", stop]]) {
      this.#find(`.marker.${name}`).hidden = mode === "none";
      place(`.marker.${name}`, at ?? 0);
      const field = this.#find(`.${name}-time`);
      if (!field.dataset.typed) field.value = clock(at ?? 0, 2);
    }
    this.#find(".looped").hidden = mode === "none";
    this.#showSaving();
    const part = this.#find(".part");
    part.hidden = mode === "none";
    part.style.left = share(Math.min(start ?? 0, stop ?? 0));
    part.style.width = share(Math.abs((stop ?? 0) - (start ?? 0)));
  }
}

customElements.define("retrograde-hear", Hear);
