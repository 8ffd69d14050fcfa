"use strict";

/**
 * The connection: a stream of events, and the status and the plan anew whenever it begins. The stream is read with
 * `fetch`, because its comments show that a quiet player is still there.
 */
const Stream = (() => {
  const SILENCE = 22, WAITS = [0.3, 0.7, 1.5, 3, 5];
  let current = null, attempt = 0, heard = 0, retry = 0, hiddenAt = 0, beat = 0;
  let lookTimer = 0, isLooking = false, mustLook = false, changes = 0, dropped = 0, wantsPlan = false;

  const silent = () => (performance.now() - heard) / 1000;

  async function connect() {
    end();
    if (!API.hasToken()) return;
    const mine = current = new AbortController();
    const patience = setTimeout(() => mine.abort(), 6000);
    try {
      const response = await API.events(mine);
      clearTimeout(patience);
      if (!response.ok) throw new Error("no events");
      // What was said in the meantime is in the plan.
      if (10 < silent()) Store.spoken = null;
      const asked = heard = performance.now();
      take(await API.status(), asked);
      // The plan of a long session takes the player a moment; the buttons work without it.
      loadPlan();
      loadList();
      if (Store.link === "lost") Messages.announce("Connected again.");
      attempt = 0;
      Store.link = "open";
      Store.changed();
      await read(response.body.getReader(), mine);
    } catch { /* Whatever the reason, the answer is another attempt. */ }
    clearTimeout(patience);
    if (mine === current) lost();
  }

  async function read(reader, mine) {
    const decoder = new TextDecoder();
    let rest = "";
    while (mine === current) {
      const { done, value } = await reader.read();
      if (done) return;
      heard = performance.now();
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.startsWith("data:")) Events.take(JSON.parse(line.slice(5)));
    }
  }

  function lost() {
    if (!API.hasToken()) return;
    const isGone = Store.status?.state === "finished";
    if (Store.link !== "lost" && !isGone) Messages.announce("Not connected. Trying again.");
    Store.link = "lost";
    Loads.clear();
    Store.changed();
    current.abort();
    retry = setTimeout(connect, 1000 * WAITS[Math.min(attempt++, WAITS.length - 1)]);
  }

  function take(status, asked) {
    const old = Store.status, isNew = !old || old.id !== status.id;
    wantsPlan ||= !isNew && old.plannedDuration !== status.plannedDuration;
    const wasPlaying = Store.isPlaying();
    Store.status = status;
    if (Store.isPlaying()) Store.ended = null;
    else if (wasPlaying && !Store.ended) Ending.tell(old);
    // Only of an idle player, the log and the places of interrupted sessions are complete.
    if (status.state !== "idle" && !Store.isPlaying()) look(250);
    else if (old && old.state !== "idle" && status.state === "idle") loadList();
    // The values are those of the middle of the request, as far as the page can know.
    Clock.take(status, (asked + performance.now()) / 2);
    if (isNew) {
      Store.spoken = null;
      Question.drop();
    }
    Commands.confirm(true);
    Store.changed();
    return isNew && old;
  }

  async function loadPlan() {
    wantsPlan = false;
    try {
      Store.timeline = Store.isPlaying() ? await API.timeline() : null;
    } catch (failure) {
      if (!(failure instanceof API.Failure)) return connect();
      Store.timeline = null;
    }
    Plan.take();
    Picture.redraw();
    Store.changed();
  }

  async function loadList() {
    if (Store.access !== "control") return;
    const month = API.month().catch(() => null);
    Store.sessions = await API.sessions().catch(() => Store.sessions || []);
    Store.month = await month;
    Store.changed();
  }

  /** Requests that come close together are one. */
  function look(milliseconds = 120) {
    mustLook = true;
    clearTimeout(lookTimer);
    if (!isLooking) lookTimer = setTimeout(fetchStatus, milliseconds);
  }

  async function fetchStatus() {
    if (!API.hasToken()) return;
    isLooking = true;
    mustLook = false;
    const before = changes, asked = performance.now();
    try {
      const status = await API.status();
      // An event that came in the meantime may be newer than this status.
      const isOld = before !== changes && dropped < 3;
      dropped = isOld ? dropped + 1 : 0;
      mustLook ||= isOld;
      if (!isOld && (take(status, asked) || wantsPlan || (Store.isPlaying() && !Store.timeline))) loadPlan();
    } catch (failure) {
      if (!(failure instanceof API.Failure)) connect();
    }
    isLooking = false;
    if (mustLook) look(dropped ? 60 : 250);
  }

  /** After sleep, a lost network, or silence: is the player still there? */
  function check(isSure = false) {
    if (!API.hasToken() || document.visibilityState === "hidden") return;
    attempt = 0;
    if (isSure || Store.link === "lost" || SILENCE < silent()) connect(); else look(0);
  }

  function watch() {
    const slept = 6000 < performance.now() - beat;
    beat = performance.now();
    if (!Store.isOpen() || document.visibilityState === "hidden") return;
    // A session that plays reports its position every second, and any player a comment every fifteen.
    if (slept || SILENCE < silent() || (Clock.isMoving() && 3.5 < silent())) check();
  }

  function begin() {
    document.addEventListener("visibilitychange", () => {
      // The connection of a phone that slept is dead and does not know it yet.
      if (document.visibilityState === "visible") check(15000 < Date.now() - hiddenAt); else hiddenAt = Date.now();
    });
    addEventListener("pageshow", (event) => { if (event.persisted) check(true); });
    addEventListener("online", () => check(true));
    addEventListener("offline", () => current?.abort());
    beat = performance.now();
    setInterval(watch, 2000);
    connect();
  }

  function end() {
    clearTimeout(retry);
    const old = current;
    current = null;
    old?.abort();
  }

  return { begin, connect, end, look, check, loadPlan, loadList, noteChange() { changes += 1; } };
})();
