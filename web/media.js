// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The media keys of a keyboard, a headset or a lock screen. Browsers pass them only to a page with an
// <audio> element that plays, so a silent one plays while the player does.

import { Wav } from "./wav.js";

let silence;

/** An <audio> element with ten seconds of silence. Shorter ones get no keys. */
function silent() {
  const wav = new Wav({ sampleRate: 8000, channelCount: 1 });
  wav.add([new Float32Array(80000)], 80000);
  return Object.assign(new Audio(URL.createObjectURL(wav.file())), { loop: true });
}

/** Shows what plays, and lets the keys call `actions`: play, pause, seekto, …. */
export function showMedia(title, { isPlaying, isBackward, position, duration, settings }, actions) {
  const { mediaSession } = navigator;
  if (!mediaSession) return;
  if (isPlaying) {
    silence ??= silent();
    silence.play().catch(() => {});  // a browser may refuse, and then there are no keys
    mediaSession.metadata = new MediaMetadata({ title });
    for (const [name, action] of Object.entries(actions)) mediaSession.setActionHandler(name, action);
  } else {
    silence?.pause();
  }
  mediaSession.playbackState = isPlaying ? "playing" : "paused";
  // a session cannot say that its position goes backwards
  mediaSession.setPositionState?.(isBackward ? undefined : { duration, position: Math.min(position, duration), playbackRate: settings.speed });
}
