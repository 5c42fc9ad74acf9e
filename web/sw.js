// Retrograde: audio reversed and scaled in time
// Copyright (C) 2026 the Retrograde authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// The service worker. Pages are fetched if there is a network, so that no visitor sees an old page,
// and otherwise come from the cache. scripts/make-offline.py fills in the two values below.

/** Contains a digest of the files, so that changed files get another cache. */
const CACHE = "retrograde-@VERSION@";
/** The files that the player needs. Other files are cached when they are fetched. */
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

/** Caches files that will be needed later, if they are not cached yet. A page requests this by a
 * message { keep: addresses }. */
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
  // without a network, nothing can be cached
  event.waitUntil(keep(ours).catch(() => {}));
});

/** The page in place of one that is not in the cache. */
const away = () => new Response(
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
  <title>No network</title><style>:root { color-scheme: light dark; font: 1rem/1.6 system-ui }</style>
  <h1>No network</h1><p>This page is not kept on your device. It opens when you are connected again.
  <p><a href="${self.registration.scope}">To the first page, which is kept</a></html>`,
  { status: 503, headers: { "Content-Type": "text/html" } });

async function answer(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    if (request.mode === "navigate") return away();
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const isOurs = request.method === "GET" && new URL(request.url).origin === location.origin;
  // requests with a range are for parts of an <audio> file, and are left to the browser
  if (isOurs && !request.headers.has("range")) event.respondWith(answer(request));
});
