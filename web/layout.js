// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The elements of <retrograde-hear>.

const PRESETS = [0.5, 0.75, 1, 1.5, 2];
const SEMITONES = 12;

export const LAYOUT = `
  <div class="stage">
    <canvas aria-hidden="true"></canvas>
    <div class="scroll">
      <div class="wave">
        <div class="part" hidden></div>
        <div class="marker start" role="slider" tabindex="0" aria-label="Start of the loop" hidden></div>
        <div class="marker stop" role="slider" tabindex="0" aria-label="End of the loop" hidden></div>
        <div class="playhead" role="slider" tabindex="0" aria-label="Position" aria-valuemin="0" aria-valuemax="0"
          aria-valuenow="0"></div>
      </div>
    </div>
    <div class="drop" aria-hidden="true">Drop the file to open it</div>
  </div>
  <progress class="loading" max="1" aria-label="Loaded" hidden></progress>
  <div class="row main">
    <button class="play" aria-keyshortcuts="Space">▶ Play</button>
    <button class="turn" aria-keyshortcuts="R">◀ Play backwards</button>
    <output class="time" aria-live="off">0:00.0</output>
    <span class="group">
      <span class="fine">Zoom</span>
      <button class="out small" aria-label="Zoom out" aria-keyshortcuts="-">−</button>
      <button class="in small" aria-label="Zoom in" aria-keyshortcuts="+">+</button>
    </span>
  </div>
  <div class="row sounds">
    <label>Sound <select class="sample"></select></label>
    <label class="file">Open your own file …<input type="file" accept="audio/*,video/*"></label>
    <span class="hint"><span class="fine">Or drop one anywhere on this page. </span>It stays on your device.</span>
  </div>
  <p class="status" role="status"></p>
  <div class="row">
    <label class="slider">Speed <input class="speed" type="range" min="-2" max="2" step="0.01" value="0"></label>
    <label><input class="speed-number" type="number" min="0.1" max="10" step="0.01" value="1.00"
      aria-label="Speed"> ×</label>
    <span class="group presets" role="group" aria-label="Speeds">
      ${PRESETS.map((speed) => `<button class="small preset" value="${speed}">${speed} ×</button>`).join("")}
    </span>
    <label><input class="keep" type="checkbox" checked> Keep the pitch</label>
  </div>
  <div class="row">
    <label class="slider">Pitch <input class="semitones" type="range" min="-${SEMITONES}" max="${SEMITONES}" step="1" value="0"></label>
    <label><input class="semitones-number" type="number" min="-24" max="24" step="0.1" value="0"
      aria-label="Pitch in semitones"> semitones</label>
    <button class="original" aria-keyshortcuts="C" aria-pressed="false">Compare with the original</button>
  </div>
  <div class="row">
    <label>Loop <select class="loop"><option value="none">off</option>
      <option value="repeat">repeat</option><option value="ping-pong">ping-pong</option></select></label>
    <span class="group looped" hidden>
      <label>from <input class="start-time" inputmode="decimal" size="8" aria-label="Start of the loop"></label>
      <label>to <input class="stop-time" inputmode="decimal" size="8" aria-label="End of the loop"></label>
    </span>
    <button class="save">Save as WAV</button>
    <progress class="saving" max="1" aria-label="Saved" hidden></progress>
    <label>Volume <input class="volume" type="range" min="0" max="100" value="100"></label>
  </div>
  <details class="more">
    <summary>Keep a voice’s character, tune for music or speech …</summary>
    <div class="row">
      <label><input class="formants" type="checkbox" aria-describedby="about-formants"> Keep the voice’s character</label>
      <span class="hint" id="about-formants">At another pitch, a voice still sounds like the same person, and not like a
        child or a giant: its formants stay.</span>
    </div>
    <div class="row">
      <label>Tuned for <select class="window" aria-describedby="about-window">
        <option value="auto">any sound</option><option value="music">music</option>
        <option value="speech">speech</option><option value="low-latency">low latency</option></select></label>
      <span class="hint" id="about-window">Music keeps its low notes steady, speech its consonants sharp. Low latency
        answers soonest, and sounds roughest.</span>
    </div>
  </details>
  <details class="keys fine">
    <summary>Keys: Space plays and pauses, R plays the other way, A and B set a loop …</summary>
    <dl>
      <dt>Space</dt><dd>plays and pauses, or presses the button that Tab has reached</dd>
      <dt>R</dt><dd>plays the other way</dd>
      <dt>← →</dt><dd>move by a second</dd>
      <dt>, .</dt><dd>step by 10 ms</dd>
      <dt>A B</dt><dd>set the start and the end of the loop here. Shift with them moves it 10 ms back</dd>
      <dt>O</dt><dd>changes the loop</dd>
      <dt>+ −</dt><dd>zoom, as does Ctrl with the wheel</dd>
      <dt>C</dt><dd>compares with the original speed and pitch</dd>
      <dt>J K L</dt><dd>play like a tape, whose pitch follows its speed: J backwards, L forwards, each press twice
        as fast, up to 8 ×. K stops. Hold K to play slowly with J or L</dd>
    </dl>
    <p class="hint">Drag the waveform to move the sound like a tape by hand. Double-click a slider to reset it.</p>
  </details>`;
