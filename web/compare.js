// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// <retrograde-compare>: lets a listener switch between versions of a sound during playback. It
// contains a <figure data-name data-gain> with a picture and an <audio> for each version, which a
// page without scripts shows unchanged. data-gain is in dB, and makes all versions equally loud.

import { fetched } from "./load.js";

/** Duration of the crossfade between two versions, in seconds. */
const FADE = 0.008;

let context;
/** The comparison that plays; only one can play at a time. */
let sounding;

/** Plays one of several sounds in a loop. After a switch, playback continues at the same fraction
 * of the length. */
class Switch {
  #buffers = new Map();
  #source;
  #gain;
  /** The gain of the current sound. */
  #level = 1;
  #buffer;
  #share = 0;
  #startTime = 0;

  /** Fetches and decodes sounds, each only once. Throws an Error with a message for the visitor. */
  async load(addresses) {
    context ??= new AudioContext();
    await context.resume();
    await Promise.all(addresses.map(async (address) => {
      if (this.#buffers.has(address)) return;
      const bytes = await fetched(address, "The sounds");
      try {
        this.#buffers.set(address, await context.decodeAudioData(bytes));
      } catch {
        throw new Error("This browser cannot decode Opus in Ogg: try a newer one.");
      }
    }));
  }

  get isPlaying() { return this.#source !== undefined; }

  /** The position as a fraction of the sound, 0 … 1. */
  get share() {
    if (!this.#source) return this.#share;
    const played = (context.currentTime - this.#startTime) / this.#buffer.duration;
    return (this.#share + Math.max(played, 0)) % 1;
  }

  set share(share) {
    const buffer = this.isPlaying ? this.#buffer : undefined;
    this.stop();
    this.#share = share;
    if (buffer) this.#start(buffer);
  }

  /** Plays a loaded sound from the current position, with the gain `level`. */
  play(address, level) {
    this.stop();
    this.#level = level;
    this.#start(this.#buffers.get(address));
  }

  #start(buffer) {
    this.#buffer = buffer;
    this.#startTime = context.currentTime;
    this.#source = new AudioBufferSourceNode(context, { buffer, loop: true });
    this.#gain = new GainNode(context, { gain: 0 });
    this.#gain.gain.setValueAtTime(0, this.#startTime);
    this.#gain.gain.linearRampToValueAtTime(this.#level, this.#startTime + FADE);
    this.#source.connect(this.#gain).connect(context.destination);
    this.#source.start(this.#startTime, this.#share * buffer.duration);
  }

  stop() {
    if (!this.#source) return;
    this.#share = this.share;
    const end = context.currentTime + FADE;
    this.#gain.gain.setValueAtTime(this.#level, context.currentTime);
    this.#gain.gain.linearRampToValueAtTime(0, end);
    this.#source.stop(end);
    this.#source = undefined;
  }
}

/** The probability that at least `right` of `count` guesses are right. */
export function chance(right, count) {
  let [sum, ways] = [0, 1];
  for (let hits = 0; hits <= count; hits += 1) {
    if (hits >= right) sum += ways;
    ways = (ways * (count - hits)) / (hits + 1);
  }
  return sum / 2 ** count;
}

/** Returns a sentence about the probability that guessing gives this score. */
function luck(right, count) {
  if (count < 5) return "After five answers, this line shows how likely the same score is by guessing.";
  const percent = 100 * chance(right, count);
  return `Guessing would score as well in ${percent < 1 ? "less than 1" : Math.round(percent)} of 100 tests.`;
}

const CONTROLS = `
  <button class="play" aria-keyshortcuts="Space">▶ Play</button>
  <label>Position <input class="share" type="range" min="0" max="1" step="any" value="0"></label>
  <span class="now" aria-live="polite"></span>`;

const ABX = `
  <summary>Blind test: can you hear which is which?</summary>
  <p>X is A or B, chosen by chance (an ABX test). Listen as often as you like, then say which it is.</p>
  <div class="row"><label>A <select class="a"></select></label> <label>B <select class="b"></select></label></div>
  <div class="row"><button data-play="a">Hear A</button><button data-play="b">Hear B</button>
    <button data-play="x">Hear X</button></div>
  <div class="row"><button data-answer="a">X is A</button><button data-answer="b">X is B</button></div>
  <div class="row"><button class="again" hidden>Start again</button><span class="score" role="status"></span></div>`;

class Compare extends HTMLElement {
  player = new Switch();
  versions = [];
  #chosen;
  #trial = { x: undefined, heard: false };
  /** The numbers of right and of all answers for each pair of versions, whichever of them is A. */
  #scores = new Map();

  #find(name) { return this.querySelector(name); }

  connectedCallback() {
    if (this.versions.length > 0) return;
    this.versions = [...this.querySelectorAll("figure")].map((figure, index) => this.#version(figure, index));
    this.#chosen = this.versions.find(({ isOurs }) => isOurs) ?? this.versions[0];
    this.#chosen.radio.checked = true;
    const group = this.versions[0].figure.parentElement;
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", "Version that is played");
    const row = Object.assign(document.createElement("div"), { className: "row", innerHTML: CONTROLS });
    group.before(row);
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", this.dataset.title ?? "");
    this.line = Object.assign(document.createElement("div"), { className: "line" });
    this.append(Object.assign(document.createElement("p"), { className: "status" }));
    this.#find(".status").setAttribute("role", "status");
    this.#addTrial();
    this.#listen();
    this.#show();
  }

  /** Makes a <figure> a radio button, and returns the version with its name and address. */
  #version(figure, index) {
    const audio = figure.querySelector("audio");
    const radio = Object.assign(document.createElement("input"), { type: "radio", name: this.id, value: index });
    const label = document.createElement("label");
    const address = audio.src;
    audio.remove();
    label.append(radio, ...figure.childNodes);
    figure.append(label);
    const decibels = Number(figure.dataset.gain);
    if (decibels <= -0.05) figure.querySelector("small").append(`; turned down by ${(-decibels).toFixed(1)} dB`);
    return {
      figure, radio, address, name: figure.dataset.name, isOurs: "ours" in figure.dataset, level: 10 ** (decibels / 20),
    };
  }

  #addTrial() {
    const trial = Object.assign(document.createElement("details"), { className: "abx", innerHTML: ABX });
    for (const [index, { name }] of this.versions.entries()) {
      trial.querySelector(".a").append(new Option(name, index));
      trial.querySelector(".b").append(new Option(name, index));
    }
    const ours = this.versions.indexOf(this.#chosen);
    trial.querySelector(".a").value = ours;
    trial.querySelector(".b").value = Math.min(ours + 1, this.versions.length - 1);
    this.append(trial);
  }

  #listen() {
    const on = (target, event, action) =>
      target.addEventListener(event, (...all) => this.#try(() => action(...all)));
    on(this.#find(".play"), "click", () => this.playOrPause());
    on(this.#find(".share"), "input", ({ target }) => this.#seek(Number(target.value)));
    for (const version of this.versions) {
      on(version.radio, "change", () => this.choose(version));
      // a click on the chosen version resumes playback
      on(version.radio, "click", () => !this.player.isPlaying && this.choose(version));
    }
    for (const button of this.querySelectorAll("[data-play]")) {
      on(button, "click", () => this.#hear(button.dataset.play));
    }
    for (const button of this.querySelectorAll("[data-answer]")) {
      on(button, "click", () => this.#answer(button.dataset.answer));
    }
    for (const name of [".a", ".b"]) on(this.#find(name), "change", () => this.#beginTrial());
    on(this.#find(".again"), "click", () => this.#forget());
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select")) return;
    const isOnButton = event.target.matches("button, summary");
    const version = this.versions[Number(event.key) - 1] ?? this.#neighbour(event);
    if (event.key === " " && !isOnButton) this.#try(() => this.playOrPause());
    else if (version) this.#try(() => this.choose(version));
    else return;
    event.preventDefault();
  }

  /** The version that an arrow key selects. In an input, arrow keys have another meaning. */
  #neighbour({ key, target }) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step || target.matches("input")) return undefined;
    const count = this.versions.length;
    return this.versions[(this.versions.indexOf(this.#chosen) + step + count) % count];
  }

  async #try(action) {
    try {
      this.#find(".status").textContent = "";
      await action();
    } catch (error) {
      this.#find(".status").textContent = error.message;
    }
  }

  async #play(version) {
    if (sounding && sounding !== this) sounding.pause();
    sounding = this;
    this.#find(".status").textContent = "Loading …";
    await this.player.load(this.versions.map(({ address }) => address));
    this.#find(".status").textContent = "";
    if (sounding !== this) return;
    this.player.play(version.address, version.level);
    this.#follow();
  }

  /** Plays a version from the current position. */
  async choose(version) {
    this.#chosen = version;
    version.radio.checked = true;
    await this.#play(version);
    this.#show();
  }

  async playOrPause() {
    if (this.player.isPlaying) this.pause();
    else await this.choose(this.#chosen);
  }

  pause() {
    this.player.stop();
    this.#show();
  }

  #seek(share) {
    this.player.share = share;
    this.#show();
  }

  /** Shows the position while the sound plays. */
  #follow() {
    cancelAnimationFrame(this.frame);
    const next = () => {
      this.#showShare();
      if (this.player.isPlaying) this.frame = requestAnimationFrame(next);
    };
    next();
  }

  #showShare() {
    const { share } = this.player;
    this.line.style.left = `${100 * share}%`;
    this.#find(".share").value = share;
    this.#find(".share").setAttribute("aria-valuetext", `${Math.round(100 * share)} %`);
  }

  #show() {
    this.#find(".play").textContent = this.player.isPlaying ? "❚❚ Pause" : "▶ Play";
    this.#find(".now").textContent = this.#chosen.name;
    this.#chosen.figure.querySelector(".shot").append(this.line);
    this.#mark();
    this.#showShare();
  }

  // Blind test

  async #hear(which) {
    this.#trial.x ??= Math.random() < 0.5 ? "a" : "b";
    const name = which === "x" ? this.#trial.x : which;
    this.#trial.heard ||= which === "x";
    this.#showScore();
    await this.#play(this.versions[this.#find(`.${name}`).value]);
    // nothing on the page may reveal which version X is
    for (const { radio } of this.versions) radio.checked = false;
    this.line.remove();
    this.#find(".play").textContent = "❚❚ Pause";
    this.#find(".now").textContent = which.toUpperCase();
    this.#mark(which);
  }

  /** Marks the button of A, B or X that is playing; none if `which` is undefined. */
  #mark(which) {
    for (const button of this.querySelectorAll("[data-play]")) {
      button.setAttribute("aria-pressed", String(button.dataset.play === which));
    }
  }

  /** The score of the two chosen versions. */
  get #score() {
    const both = [this.#find(".a").value, this.#find(".b").value].sort().join();
    if (!this.#scores.has(both)) this.#scores.set(both, { right: 0, count: 0 });
    return this.#scores.get(both);
  }

  #answer(which) {
    const trial = this.#trial;
    const missing = this.#find(".a").value === this.#find(".b").value ? "Choose two versions first." : !trial.heard && "Hear X first.";
    if (missing) {
      this.#find(".score").textContent = missing;
      return;
    }
    const isRight = which === trial.x;
    this.#score.count += 1;
    if (isRight) this.#score.right += 1;
    this.#showScore(isRight ? "Right. " : `No, X was ${trial.x.toUpperCase()}. `);
    this.#trial = { x: undefined, heard: false };
  }

  #beginTrial() {
    this.#trial = { x: undefined, heard: false };
    this.#showScore();
  }

  #forget() {
    Object.assign(this.#score, { right: 0, count: 0 });
    this.#beginTrial();
  }

  #showScore(told = "") {
    const { right, count } = this.#score;
    this.#find(".again").hidden = count === 0;
    this.#find(".score").textContent = count === 0 ? "" : `${told}${right} of ${count} right. ${luck(right, count)}`;
  }
}

customElements.define("retrograde-compare", Compare);

/** Lets the service worker cache all sounds and pictures, so that the page works without a
 * network. */
async function keepAll() {
  const { serviceWorker, connection } = navigator;
  if (!serviceWorker || connection?.saveData) return;
  const { active } = await serviceWorker.ready;
  const comparisons = [...document.querySelectorAll("retrograde-compare")];
  const sounds = comparisons.flatMap(({ versions }) => versions.map(({ address }) => address));
  const pictures = comparisons.flatMap((one) => [...one.querySelectorAll("img")].map(({ src }) => src));
  active.postMessage({ keep: [...sounds, ...pictures] });
}

// without this, a browser would leave the page to open a dropped file
for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
}
// the browser may keep a page in memory for the back button, and the sound would continue
addEventListener("pagehide", () => sounding?.pause());
addEventListener("load", keepAll);
