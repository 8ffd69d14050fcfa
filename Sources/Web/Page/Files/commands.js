"use strict";

/** What a command will do is shown at once, and taken back with the reason if the player refuses. */
const Commands = (() => {
  // The player lets three commands wait; a browser has six connections, of which the events need one.
  const MOST = 3;
  const URGENT = ["pause", "resume", "stop", "finish", "cancel"];
  const waiting = new Set();
  let steps = 0, latest = 0, seeking = 0, extended = 0, isPausing = false, wish;

  const say = (text, options) => Messages.show(text, { key: "command", ...options });

  /** The player's reply; undefined if there was none. */
  async function send(command, { button, again, isQuiet } = {}) {
    const patient = () => [...waiting].filter((one) => !URGENT.includes(one.do)).length;
    for (let tries = 0; !URGENT.includes(command.do) && MOST <= patient(); tries += 1) {
      if (20 < tries) return void say("three commands are waiting; try again in a moment");
      await new Promise((done) => setTimeout(done, 50));
    }
    waiting.add(command);
    const slow = setTimeout(() => button?.setAttribute("data-busy", ""), 300);
    try {
      const reply = await API.command(command);
      // What this page does next says enough about a command that it cancelled itself.
      const isKnown = isQuiet?.(reply) || (reply.outcome === "cancelled" && 1 < waiting.size);
      const action = reply.recoverable ? { name: "Retry", run: again || (() => send(command, { button })) } : null;
      if (!reply.ok && !isKnown) say(reply.error, { action });
      return reply;
    } catch (failure) {
      if (!(failure instanceof API.Failure)) {
        say("the player did not answer, and the command may not have arrived");
        Stream.check();
      } else if (failure.status !== 401) {
        say(failure.status === 409 ? "nothing plays" : failure.message);
      }
    } finally {
      waiting.delete(command);
      clearTimeout(slow);
      button?.removeAttribute("data-busy");
      // A status that was asked for before is older than this outcome.
      Stream.noteChange();
      Stream.look(0);
    }
  }

  const isWaiting = () => [...waiting].some((command) => /^(next|prev|goto|jump|gong)/.test(command.do));

  /** A sound that failed for the session, or for somebody else. Only one that was due can be tried again. */
  function failedLoad(event, title, text) {
    if (Store.access !== "control" || isWaiting()) return;
    const isDue = event.recoverable && !event.event.startsWith("load.");
    const entry = isDue && Plan.stages().find((one) => one.name === event.stage && one.name === Store.status.stage);
    const track = entry && entry.stage.tracks.find((one) => one.title === title);
    const action = track ? { name: "Retry", run: () => skip({ do: "jump", track: track.index }, title) } : null;
    Messages.show(text, { key: `failed ${title}`, action });
  }

  /** A state that confirms what was shown; a whole status confirms all that the player has done. */
  function confirm(isWhole = false) {
    const expecting = Store.expecting;
    if (isWhole) for (const key of expecting.settling.splice(0)) expecting[key] = null;
    if (expecting.pause && (expecting.pause === "pause") === /paused/i.test(Store.status.state)) {
      expecting.pause = null;
      Clock.release(false);
    }
  }

  /** What was expected is shown until a status has the truth; a refusal takes it back at once. */
  function settle(key, reply) {
    if (reply?.ok) Store.expecting.settling.push(key); else Store.expecting[key] = null;
    Store.changed();
  }

  /** Two requests at once may arrive in any order, so only the last wish follows the one that is under way. */
  async function pause(button) {
    wish = Player.isPaused() ? "resume" : "pause";
    if (wish === "pause") Clock.hold();
    Store.expecting.pause = wish;
    Store.changed();
    if (isPausing) return;
    isPausing = true;
    let sent, reply;
    while (sent !== wish) {
      sent = wish;
      const isQuiet = (one) => one.code === "noEffect" || sent !== wish;
      reply = await send({ do: sent }, { button, again: () => pause(button), isQuiet });
    }
    isPausing = false;
    if (!reply?.ok) Clock.release(true);
    settle("pause", reply);
  }

  /** A command that leads to another track, which is shown before it is heard. */
  async function skip(command, title, button) {
    const mine = ++latest;
    Store.expecting.track = title ? { title } : null;
    Store.changed();
    const reply = await send(command, { button, again: () => skip(command, title, button) });
    if (mine !== latest) return reply;
    steps = 0;
    if (Store.expecting.track && reply?.track) Store.expecting.track = { title: reply.track.track };
    settle("track", reply);
    return reply;
  }

  function track(direction, button) {
    steps += direction;
    const title = (steps === 1 && Store.status.next?.track) || Plan.trackAfter(Store.status, steps);
    const name = 0 < direction ? "next" : "previous";
    skip({ do: name }, title || `${name} track`, button);
  }

  async function move(command, name, { button, x = null, title = null } = {}) {
    const from = Plan.place();
    Store.expecting.place = x;
    const reply = await skip(command, title, button);
    settle("place", reply);
    if (!reply?.ok) return;
    const at = from && Math.max(0, Math.min(Math.floor(from.time - from.entry.begin), from.entry.length - 1));
    const action = from && { name: "Undo", run: () => skip({ do: "goto", stage: from.entry.name, at }) };
    const where = x === null || !Plan.isTimed(x) ? name : `${name}, ${Words.time(x)}`;
    Messages.show(`Moved to ${Words.quoted(where)}`, { key: "moved", action, seconds: 12 });
  }

  function goTo({ entry, time }, x) {
    const at = Math.round((time - entry.begin) * 10) / 10;
    move(at ? { do: "goto", stage: entry.name, at } : { do: "goto", stage: entry.name }, entry.name, { x });
  }

  function stage(direction, button) {
    const target = Plan.stages()[Plan.place()?.entry.index + direction];
    move({ do: 0 < direction ? "nextStage" : "previousStage" }, target?.name || "another stage",
      { button, title: target?.stage.tracks[0]?.title });
  }

  /** In a stage with a duration only the track moves, so its time shows what a seek does. */
  async function seek(seconds, button) {
    const from = Store.expecting.position ?? Clock.read().position;
    if (from !== null) Store.expecting.position = Math.max(0, from + seconds);
    seeking += 1;
    Store.changed();
    const reply = await send({ do: "seek", by: `${seconds}s` }, { button, again: () => seek(seconds, button) });
    seeking -= 1;
    if (!seeking) settle("position", reply);
  }

  async function extend(minutes, button, isUndo = false) {
    const again = () => extend(minutes, button, isUndo);
    const reply = await send({ do: "extend", by: `${minutes}m` }, { button, again });
    if (!reply?.ok) return;
    Stream.loadPlan();
    // Several presses are one message, and one way back.
    extended = isUndo ? 0 : Messages.has("extended") ? extended + minutes : minutes;
    const sum = extended, stage = Store.status.stage ? Words.quoted(Store.status.stage) : "This stage";
    const action = sum ? { name: "Undo", run: () => extend(-sum, button, true) } : null;
    const change = `is ${Words.counted(Math.abs(sum), "minute")} ${sum < 0 ? "shorter" : "longer"}`;
    const text = `${stage} ${sum ? change : "has its former length again"}`;
    Messages.show(text, { key: "extended", action, seconds: sum ? 12 : 6 });
  }

  async function reload(button) {
    const reply = await send({ do: "reload" }, { button, again: () => reload(button) });
    if (reply?.ok) Messages.show("the session follows its file as it is now", { key: "reload" });
  }

  return { send, pause, track, stage, goTo, seek, extend, reload, confirm, failedLoad, isWaiting };
})();
