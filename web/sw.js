// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The service worker: without a network, pages come from the cache. With a network, pages are
// fetched, so that no user sees an old page. scripts/make-offline.py fills in the two values.

/** The name is a digest of the files: changed files get another cache. */
const CACHE = "retrograde-@VERSION@";
/** The files that the player needs; others are cached when they are used. */
const FILES = ["@FILES@"];

self.addEventListener("install", (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("retrograde-") && name !== CACHE;
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()));
});

/** Fetches pages that will be needed later. They are requested by a message { keep: addresses }.
 * Cached pages are not fetched again. */
async function keep(addresses) {
  const cache = await caches.open(CACHE);
  for (const address of addresses) {
    if (await cache.match(address)) continue;
    const response = await fetch(address);
    if (response.status === 200) await cache.put(address, response);
  }
}

self.addEventListener("message", (event) => {
  const ours = (event.data.keep ?? []).filter((address) => new URL(address).origin === location.origin);
  // without a network, there is nothing to fetch
  event.waitUntil(keep(ours).catch(() => {}));
});

async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const isOurs = request.method === "GET" && new URL(request.url).origin === location.origin;
  // the browser requests <audio> in parts
  if (isOurs && !request.headers.has("range")) event.respondWith(answer(request));
});
