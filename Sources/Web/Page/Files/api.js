"use strict";

const API = (() => {
  const CONTROL = "prosper.token", VIEW = "prosper.view";
  let token = null, previous = null, isAccepted = false;

  class Failure extends Error {
    constructor(response, answer) {
      super(answer?.error || `the player answered ${response.status}`);
      this.status = response.status;
      this.retryAfter = Number(response.headers.get("Retry-After"));
    }
  }

  /** Without storage a token lasts as long as the page. */
  function storing(body) { try { return body(); } catch { return []; } }

  /** The token of this tab, that with which the phone controls, and that of a participant. */
  const kept = () => storing(() => [sessionStorage, localStorage, localStorage]
    .map((storage, index) => storage.getItem(index === 1 ? CONTROL : VIEW)));

  function use(value) {
    token = value;
    isAccepted = false;
  }

  function read() {
    if (1 < location.hash.length) {
      previous = token;
      use(location.hash.slice(1));
      // The token must not stay in the address, which is shown, shared and remembered.
      history.replaceState(null, "", location.pathname);
    } else if (!token) {
      use(kept().find(Boolean) ?? null);
    }
  }

  /** The player knows the token. A participants' link that is opened on a phone that controls is for its tab alone. */
  function accept(access) {
    if (isAccepted) return;
    isAccepted = true;
    previous = null;
    storing(() => {
      sessionStorage.removeItem(VIEW);
      localStorage.setItem(access === "control" ? CONTROL : VIEW, token);
      if (access === "view") sessionStorage.setItem(VIEW, token);
    });
  }

  /** The player does not know the token: the one before it, or a kept one, may still be valid. */
  function refuse() {
    const refused = token;
    storing(() => {
      for (const storage of [sessionStorage, localStorage])
        for (const key of [CONTROL, VIEW]) if (storage.getItem(key) === refused) storage.removeItem(key);
    });
    use([previous, ...kept()].find((one) => one && one !== refused) ?? null);
    previous = null;
  }

  async function request(path, { body, seconds = 5, stop = new AbortController() } = {}) {
    const timer = seconds && setTimeout(() => stop.abort(), seconds * 1000), mine = token;
    const headers = mine ? { Authorization: `Bearer ${mine}` } : {};
    const options = { headers, signal: stop.signal, cache: "no-store" };
    if (body) Object.assign(options, { method: "POST", body: JSON.stringify(body) });
    if (body) headers["Content-Type"] = "application/json";
    try {
      const response = await fetch(path, options), access = response.headers.get("Prosper-Access");
      const isMine = mine === token;
      if (access && isMine) {
        Store.access = access;
        accept(access);
      }
      if (response.status !== 401 || !mine) return response;
      if (isMine) refuse();
      if (token) return request(path, { body, seconds, stop });
      Store.access = null;
      if (isMine) Pairing.open(true);
      return response;
    } finally {
      clearTimeout(timer);
    }
  }

  async function exchange(path, options) {
    const response = await request(path, options);
    const answer = await response.json().catch(() => null);
    if (response.ok && answer) return { answer, headers: response.headers };
    throw new Failure(response, answer);
  }

  const json = async (path, options) => (await exchange(path, options)).answer;

  return {
    Failure, read, use, request,
    hasToken: () => Boolean(token),
    /** With the `id` of the session that plays; null if none does. */
    status: async () => {
      const { answer, headers } = await exchange("/api/status");
      return { ...answer.status, id: headers.get("Prosper-Session") };
    },
    timeline: () => json("/api/timeline", { seconds: 20 }),
    sessions: async () => (await json("/api/sessions", { seconds: 20 })).sessions,
    month: async () => (await json("/api/log")).total,
    events: (stop) => request("/api/events", { seconds: 0, stop }),
    // A command may wait for a slow sound.
    command: (body) => json("/api/command", { body, seconds: 180 }),
    /** `choice` has `resume`, or the values of `set`. */
    play: (session, choice) => json("/api/play", { body: { session, ...choice }, seconds: 60 }),
    pair: async (code) => (await json("/api/pair", { body: { code } })).token,
  };
})();
