"use strict";

const API = (() => {
  const KEY = "prosper.token";
  let token = null;

  class Failure extends Error {
    constructor(response, answer) {
      super(answer?.error || `the player answered ${response.status}`);
      this.status = response.status;
      this.retryAfter = Number(response.headers.get("Retry-After"));
    }
  }

  function read() {
    if (1 < location.hash.length) {
      keep(location.hash.slice(1));
      // The token must not stay in the address, which is shown, shared and remembered.
      history.replaceState(null, "", location.pathname);
    } else {
      try { token = localStorage.getItem(KEY); } catch { token = null; }
    }
  }

  function keep(value) {
    token = value;
    try {
      if (value) localStorage.setItem(KEY, value); else localStorage.removeItem(KEY);
    } catch { /* Without storage the token lasts as long as the page. */ }
  }

  async function request(path, { body, seconds = 5, stop = new AbortController() } = {}) {
    const timer = seconds && setTimeout(() => stop.abort(), seconds * 1000);
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const options = { headers, signal: stop.signal, cache: "no-store" };
    if (body) Object.assign(options, { method: "POST", body: JSON.stringify(body) });
    if (body) headers["Content-Type"] = "application/json";
    try {
      const response = await fetch(path, options);
      Store.access = response.headers.get("Prosper-Access") || Store.access;
      if (response.status === 401 && token) {
        keep(null);
        Store.access = null;
        Pairing.open(true);
      }
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  async function json(path, options) {
    const response = await request(path, options);
    const answer = await response.json().catch(() => null);
    if (response.ok && answer) return answer;
    throw new Failure(response, answer);
  }

  return {
    Failure, read, keep, request,
    hasToken: () => Boolean(token),
    status: async () => (await json("/api/status")).status,
    timeline: () => json("/api/timeline", { seconds: 20 }),
    sessions: async () => (await json("/api/sessions", { seconds: 20 })).sessions,
    month: async () => (await json("/api/log")).total,
    events: (stop) => request(`/api/events?token=${encodeURIComponent(token)}`, { seconds: 0, stop }),
    // A command may wait for a slow sound.
    command: (body) => json("/api/command", { body, seconds: 180 }),
    play: (session, resume) => json("/api/play", { body: resume ? { session, resume } : { session }, seconds: 60 }),
    pair: async (code) => (await json("/api/pair", { body: { code } })).token,
  };
})();
